#include "src/report/host.h"

#include <cfenv>
#include <ctime>
#include <fstream>
#include <limits>

namespace reprosum::report {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t from = line.find(": ");
    if (from != std::string::npos) return line.substr(from + 2);
  }
  return "unknown";
}

std::vector<std::string> cpu_features() {
  std::vector<std::string> out;
#if defined(__x86_64__)
  const auto add = [&](bool has, const char* name) {
    if (has) out.emplace_back(name);
  };
  __builtin_cpu_init();
  add(__builtin_cpu_supports("sse2"), "sse2");
  add(__builtin_cpu_supports("avx"), "avx");
  add(__builtin_cpu_supports("avx2"), "avx2");
  add(__builtin_cpu_supports("fma"), "fma");
  add(__builtin_cpu_supports("avx512f"), "avx512f");
  add(__builtin_cpu_supports("avx512dq"), "avx512dq");
  add(__builtin_cpu_supports("avx512vl"), "avx512vl");
  add(__builtin_cpu_supports("avx512bf16"), "avx512bf16");
#elif defined(__aarch64__)
  out = {"neon", "fma"};
#endif
  return out;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

FloatingPointState floating_point_state() {
  FloatingPointState state;
  switch (std::fegetround()) {
    case FE_TONEAREST:
      state.rounding = "to nearest";
      break;
    case FE_UPWARD:
      state.rounding = "upward";
      break;
    case FE_DOWNWARD:
      state.rounding = "downward";
      break;
    case FE_TOWARDZERO:
      state.rounding = "toward zero";
      break;
    default:
      state.rounding = "unknown";
  }
  // Asked of the arithmetic itself, which is the same question on every CPU.
  volatile double least_normal = std::numeric_limits<double>::min();
  volatile double subnormal = std::numeric_limits<double>::denorm_min();
  state.flush_to_zero = least_normal * 0.5 == 0;
  state.subnormals_are_zero = subnormal * 0x1p60 == 0;
  return state;
}

}  // namespace reprosum::report

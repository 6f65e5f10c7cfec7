// bench_device: what an OpenCL device or a GPU can do, and what of it the replay of an order gets.
// Every figure is a share of what was measured in the same run: of the bandwidth of a copy, of the
// time that a chain of dependent operations takes at least.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <vector>

#include "kernels/device/devices.h"
#include "kernels/device/open_device.h"
#include "kernels/device/run_launches.h"
#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "kernels/text/device_text.h"
#include "spec/error.h"
#include "spec/surface.h"
#include "src/runtime/cache_directory.h"

namespace reprosum::bench {
namespace {

using kernels::device::Argument;
using kernels::device::Buffer;
using kernels::device::Queue;

struct Options {
  std::string backend = "opencl";
  std::size_t device = 0;
  bool is_small = false;  // a processor: sizes for seconds
  std::string texts;      // where all texts are written, in place of running anything
};

std::string nothing_text() {
  return kernels::text::device_macros() + "\nKERNEL(32) void nothing(GLOBAL float *x) {}\n";
}

// Many dependent operations of one work-item.
struct Chain {
  const char *type, *operation;
};
constexpr Chain kFmaF32{"float", "FMAF(b, c, a)"}, kAddF32{"float", "ADDF(a, b)"},
    kFmaF64{"double", "FMAD(b, c, a)"}, kAddF64{"double", "ADDD(a, b)"};

std::string chain_text(const Chain& chain) {
  return fmt::format(
      "{0}\nKERNEL(1) void chain(GLOBAL {1} *x, I64 n) {{\n"
      "  {1} a = x[0];\n  const {1} b = x[1], c = x[2];\n"
      "  for (I64 k = 0; k < n; k += 8) {{\n"
      "    a = {2}; a = {2}; a = {2}; a = {2}; a = {2}; a = {2}; a = {2}; a = {2};\n"
      "  }}\n  x[0] = a;\n}}\n",
      kernels::text::device_macros(), chain.type, chain.operation);
}

// `lanes` accumulators, folded in pairs.
spec::Order lanes_order(int lanes, bool fused) {
  const std::string leaf = fused ? "f" : ".";
  std::string folds, last = "a";
  for (int width = lanes, name = 0; width > 1; width /= 2, ++name) {
    const std::string next(1, "bcdegh"[name]);  // f is a leaf
    folds += fmt::format("{0} = [{1}@0 {1}@{2}]; ", next, last, width / 2);
    last = next;
  }
  return spec::parse_order(
      fmt::format("1..1000000000: loop {0} {{ 0..{1}: a = [{2}@0 +{0} x q]; {3}[{4}@0 "
                  "{2}@{0}q +1 x r]; }}",
                  lanes, lanes - 1, leaf, folds, last));
}

kernels::launch::Launches sum_launches(const spec::Order& order, spec::Routine routine,
                                       spec::Type type, std::int64_t n, std::int64_t rows) {
  kernels::launch::RowsCall call;
  call.n = call.ldx = call.ldy = n;
  call.rows = rows;
  return kernels::launch::SumLaunches(order, routine, type).call(call);
}

// In sequence along k, fused: the plainest order of a gemm.
kernels::launch::Launches product_launches(spec::Type type, std::int64_t n) {
  spec::Spec spec;
  spec.orders = {spec::parse_order("1..100000: loop 1 { 0: [out <f@0 +1 x q]; }")};
  spec::Entry entry;
  entry.routine = spec::Routine::gemm;
  entry.type = type;
  spec::MatrixRegime regime;  // one class everywhere
  regime.table = {{0}};
  regime.classes = {{0, {}, {}}};
  entry.regimes = {regime};
  spec::RegionMap map;
  map.regime = &entry.regimes[0];
  map.rows = map.columns = {{0, n, 0}};
  kernels::launch::MatrixCall call;
  call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
  call.beta = 1;
  return kernels::launch::MatrixLaunches(spec, entry).call(map, call);
}

constexpr int kRowLanes[] = {1, 8, 32}, kCallLanes[] = {8, 32};
constexpr std::int64_t kRowLength = 1000;
std::int64_t row_count(const Options& options) { return options.is_small ? 2000 : 100'000; }
std::int64_t call_length(const Options& options) {
  return options.is_small ? 1'000'000 : 100'000'000;
}
std::int64_t product_size(const Options& options) { return options.is_small ? 256 : 4096; }
constexpr spec::Routine kRoutines[] = {spec::Routine::sum, spec::Routine::dot};

class DeviceBench {
 public:
  DeviceBench(const Options& options, std::shared_ptr<kernels::device::OpenDevice> device)
      : options_(options),
        opened_(std::move(device)),
        runner_(*opened_),
        queue_(opened_->device().make_queue()) {}

  void run() {
    const kernels::device::Facts& facts = opened_->facts();
    fmt::print("device {}\ndriver {}\ncompiler {}\nunits {}, memory {} MiB\n", facts.name,
               facts.driver, facts.compiler, facts.units, facts.memory_bytes >> 20);
    copy();
    launch();
    chains();
    rows();
    one_call();
    products();
  }

 private:
  // Seconds, the median of some runs after one that is not counted.
  double seconds(const std::function<void()>& work) {
    const std::vector<double> times = sorted_times(work);
    return times[times.size() / 2];
  }
  std::vector<double> sorted_times(const std::function<void()>& work) {
    std::vector<double> times;
    for (int run = 0; run < 6; ++run) {
      queue_->finish();
      const auto start = std::chrono::steady_clock::now();
      work();
      queue_->finish();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (run > 0) times.push_back(took.count());
    }
    std::sort(times.begin(), times.end());
    return times;
  }

  std::unique_ptr<Buffer> filled(std::size_t bytes) {
    auto buffer = opened_->device().allocate(bytes);
    // Numbers of either sign and of some binades, as floats and as doubles.
    std::vector<float> block(std::min<std::size_t>(bytes / 4, 1 << 20));
    std::uint32_t state = 12345;
    for (float& value : block) {
      state = state * 1664525 + 1013904223;
      value = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31F;
    }
    for (std::size_t at = 0; at < bytes; at += block.size() * 4)
      queue_->write(*buffer, at, block.data(), std::min(block.size() * 4, bytes - at));
    return buffer;
  }

  void copy() {
    const std::size_t bytes = std::size_t{options_.is_small ? 32U : 512U} << 20;
    const auto from = filled(bytes), to = opened_->device().allocate(bytes);
    const double time = seconds([&] { queue_->copy(*from, 0, *to, 0, bytes); });
    bandwidth_ = 2 * static_cast<double>(bytes) / time;
    fmt::print("copy {:.1f} GB/s\n", bandwidth_ * 1e-9);
  }

  void launch() {
    const auto program = opened_->programs().get(nothing_text());
    const auto x = opened_->device().allocate(4);
    const std::vector<Argument> arguments{x.get()};
    constexpr int kLaunches = 200;
    const double time = seconds([&] {
      for (int k = 0; k < kLaunches; ++k) queue_->launch(*program, "nothing", {1}, {32}, arguments);
    });
    fmt::print("launch {:.2f} us\n", time / kLaunches * 1e6);
  }

  // Nanoseconds of one of many dependent operations, by one work-item.
  double latency(const Chain& chain) {
    const auto program = opened_->programs().get(chain_text(chain));
    const auto x = filled(64);
    const auto time = [&](std::int64_t n) {
      const std::vector<Argument> arguments{x.get(), n};
      return sorted_times([&] { queue_->launch(*program, "chain", {1}, {1}, arguments); })[0];
    };
    constexpr std::int64_t kMore = 4'000'000;  // the difference is without the launch
    return (time(2 * kMore) - time(kMore)) / static_cast<double>(kMore) * 1e9;
  }

  void chains() {
    fma_f32_ = latency(kFmaF32);
    add_f32_ = latency(kAddF32);
    fmt::print("chain f32: fma {:.2f} ns, add {:.2f} ns\n", fma_f32_, add_f32_);
    if (opened_->facts().has_f64) {
      fma_f64_ = latency(kFmaF64);
      add_f64_ = latency(kAddF64);
      fmt::print("chain f64: fma {:.2f} ns, add {:.2f} ns\n", fma_f64_, add_f64_);
    }
  }

  double time_of(const spec::Order& order, spec::Routine routine, spec::Type type, std::int64_t n,
                 std::int64_t rows, const Buffer& x, const Buffer& y, const Buffer& out) {
    const auto made = sum_launches(order, routine, type, n, rows);
    std::vector<const Buffer*> operands{&x};
    if (routine == spec::Routine::dot) operands.push_back(&y);
    operands.push_back(&out);
    return seconds([&] { runner_.run(made, *queue_, operands); });
  }

  void rows() {
    const std::int64_t n = kRowLength, rows = row_count(options_);
    for (const spec::Type type : types()) {
      const std::size_t element = spec::bytes(type);
      const std::size_t bytes = static_cast<std::size_t>(n * rows) * element;
      const auto x = filled(bytes), y = filled(bytes);
      const auto out = opened_->device().allocate(static_cast<std::size_t>(rows) * element);
      for (const spec::Routine routine : kRoutines)
        for (const int lanes : kRowLanes) {
          const bool is_dot = routine == spec::Routine::dot;
          const double time =
              time_of(lanes_order(lanes, is_dot), routine, type, n, rows, *x, *y, *out);
          fmt::print("{:<4} {:>2} lanes, {} rows of {}: {:.2f} of copy\n",
                     spec::blas_name(routine, type), lanes, rows, n,
                     static_cast<double>(bytes) * (is_dot ? 2 : 1) / time / bandwidth_);
        }
    }
  }

  void one_call() {
    const std::int64_t n = call_length(options_);
    for (const spec::Type type : types()) {
      const bool is_f32 = spec::is_f32(type);
      const std::size_t bytes = static_cast<std::size_t>(n) * (is_f32 ? 4 : 8);
      const auto x = filled(bytes), y = filled(bytes), out = opened_->device().allocate(8);
      for (const int lanes : kCallLanes) {
        const double floor = static_cast<double>(n / lanes) * (is_f32 ? fma_f32_ : fma_f64_) * 1e-9;
        const double time =
            time_of(lanes_order(lanes, true), spec::Routine::dot, type, n, 1, *x, *y, *out);
        fmt::print("{}dot {:>2} lanes, n = {}: {:.2f} ms", is_f32 ? "s" : "d", lanes, n,
                   time * 1e3);
        // Beside other work the difference of two times may say nothing.
        if (floor > 0)
          fmt::print(", chain floor {:.2f} ms: {:.2f} of it", floor * 1e3, floor / time);
        fmt::print("\n");
      }
    }
  }

  void products() {
    const std::int64_t n = product_size(options_);
    for (const spec::Type type : types()) {
      const auto made = product_launches(type, n);
      const std::size_t bytes = static_cast<std::size_t>(n * n) * spec::bytes(type);
      const auto a = filled(bytes), b = filled(bytes), c = filled(bytes);
      const std::vector<const Buffer*> operands{a.get(), b.get(), c.get()};
      const double time = seconds([&] { runner_.run(made, *queue_, operands); });
      const double size = static_cast<double>(n);
      fmt::print("{}gemm n = {}, in sequence, fused: {:.1f} GF/s\n", spec::is_f32(type) ? "s" : "d",
                 n, 2 * size * size * size / time * 1e-9);
    }
  }

  std::vector<spec::Type> types() const {
    if (!opened_->facts().has_f64) return {spec::Type::f32};
    return {spec::Type::f32, spec::Type::f64};
  }

  const Options& options_;
  const std::shared_ptr<kernels::device::OpenDevice> opened_;
  kernels::device::LaunchRunner runner_;
  const std::unique_ptr<Queue> queue_;
  double bandwidth_ = 0, fma_f32_ = 0, add_f32_ = 0, fma_f64_ = 0, add_f64_ = 0;
};

// Every text that run() compiles, a file each: for `device_golden pack --texts`.
void write_texts(const Options& options) {
  std::set<std::string> all{nothing_text()};
  for (const Chain& chain : {kFmaF32, kAddF32, kFmaF64, kAddF64}) all.insert(chain_text(chain));
  const auto add = [&all](const kernels::launch::Launches& launches) {
    for (const auto& text : launches.texts) all.insert(text->text);
  };
  for (const spec::Type type : {spec::Type::f32, spec::Type::f64}) {
    for (const spec::Routine routine : kRoutines)
      for (const int lanes : kRowLanes)
        add(sum_launches(lanes_order(lanes, routine == spec::Routine::dot), routine, type,
                         kRowLength, row_count(options)));
    for (const int lanes : kCallLanes)
      add(sum_launches(lanes_order(lanes, true), spec::Routine::dot, type, call_length(options),
                       1));
    add(product_launches(type, product_size(options)));
  }
  std::filesystem::create_directories(options.texts);
  int number = 0;
  for (const std::string& text : all)
    std::ofstream(fmt::format("{}/{:02}.cu", options.texts, number++)) << text;
}

int run(const Options& options) {
  if (!options.texts.empty()) return write_texts(options), 0;
  const auto dialect =
      options.backend == "cuda" ? kernels::device::Dialect::cuda : kernels::device::Dialect::opencl;
  DeviceBench(options,
              kernels::device::open_device(dialect, options.device, runtime::cache_directory()))
      .run();
  return 0;
}

}  // namespace
}  // namespace reprosum::bench

int main(int count, char** words) {
  reprosum::bench::Options options;
  CLI::App app("What a device can do, and what of it the replay of an order gets.");
  app.add_option("--backend", options.backend)->check(CLI::IsMember({"opencl", "cuda"}));
  app.add_option("--device", options.device, "as `reprosum list` counts");
  app.add_flag("--small", options.is_small, "sizes for a processor");
  app.add_option("--texts", options.texts, "write the texts into this directory, run nothing");
  CLI11_PARSE(app, count, words);
  try {
    return reprosum::bench::run(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_device: {}\n", e.what());
    return 2;
  }
}

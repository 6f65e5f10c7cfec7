// The captured specs as device text: all routines, hostile data, the interpreter's bits.
//
// REPROSUM_DEVICE_OUTPUTS says how many outputs of a spec are compared; the acceptance is a
// million.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/base/read_file.h"
#include "tests/kernels/device_calls.h"
#include "tests/paths.h"

namespace reprosum::kernels::launch {
namespace {

namespace fs = std::filesystem;

std::int64_t wanted_outputs() {
  const char* const given = std::getenv("REPROSUM_DEVICE_OUTPUTS");
  return given == nullptr ? 10'000 : std::atoll(given);
}

// What was compared of one routine.
struct Count {
  std::int64_t outputs = 0, mismatches = 0, calls = 0;
  std::map<std::string, std::int64_t> refused;  // outputs, by why
};
using Counts = std::map<std::string, Count>;

class Captured {
 public:
  Captured(const spec::Spec& spec, test::LaunchRunner& runner, std::uint64_t seed)
      : spec_(spec), runner_(runner), random_(seed) {}

  Counts run(std::int64_t outputs) {
    const auto entries = std::ssize(spec_.entries);
    const std::int64_t each = outputs / std::max<std::int64_t>(1, entries) + 1;
    for (const spec::Entry& entry : spec_.entries)
      spec::is_f32(entry.type) ? compare_calls<float>(entry, each)
                               : compare_calls<double>(entry, each);
    return counts_;
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }

  template <class T>
  void compare(Count& count, const std::vector<T>& wanted, const std::vector<T>& got,
               const std::string& what) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (test::same(wanted[k], got[k])) continue;
      if (count.mismatches++ == 0) ADD_FAILURE() << what << ", element " << k;
    }
  }

  template <class T>
  void compare_calls(const spec::Entry& entry, std::int64_t outputs) {
    spec::has_matrices(entry.routine) ? products<T>(entry, outputs) : sums<T>(entry, outputs);
  }

  template <class T>
  void sums(const spec::Entry& entry, std::int64_t outputs) {
    const std::string name = spec::blas_name(entry.routine, entry.type);
    Count& count = counts_[name];
    const spec::Order& order = spec_.orders[spec::order_of(entry)];
    const bool has_y = entry.routine == spec::Routine::dot;
    std::optional<SumLaunches> launches;
    try {
      launches.emplace(order, entry.routine, entry.type);
    } catch (const UserError& error) {
      count.refused[error.what()] += outputs;
      return;
    }
    std::int64_t compared = 0;
    for (int call = 0; compared < outputs; ++call) {
      const std::int64_t most = std::min(spec::most_summands(entry), spec::covered_to(order));
      const std::int64_t sizes[] = {1 + below(70), 1 + below(1000), 1 + below(20'000)};
      const std::int64_t n = std::min(most, sizes[call % 3]);
      const std::int64_t rows = std::clamp<std::int64_t>(1'500'000 / n, 1, 4000);
      test::Rows<T> data(random_, n, rows, call % 2 == 0 ? 1 : -2, call % 2 == 0 ? 1 : 3,
                         below(3) == 0);
      std::vector<T> wanted, got(static_cast<std::size_t>(rows));
      for (std::int64_t r = 0; r < rows; ++r) wanted.push_back(data.value(order, r, has_y));
      std::vector<test::Memory> operands{test::memory_of(data.x)};
      if (has_y) operands.push_back(test::memory_of(data.y));
      operands.push_back(test::memory_of(got));
      try {
        runner_.run(launches->call(data.call), operands);
        compare(count, wanted, got, name + " n = " + std::to_string(n));
        count.outputs += rows, ++count.calls;
      } catch (const UserError& error) {
        count.refused[error.what()] += rows;
      }
      compared += rows;
    }
  }

  template <class T>
  void products(const spec::Entry& entry, std::int64_t outputs) {
    const std::string name = spec::blas_name(entry.routine, entry.type);
    Count& count = counts_[name];
    const MatrixLaunches launches(spec_, entry);
    std::int64_t compared = 0;
    for (int call = 0, misses = 0; compared < outputs && misses < 1000; ++call) {
      MatrixCall shape = test::random_shape(random_, 260, call % 4 == 3 ? 900 : 150);
      shape.routine = entry.routine;
      shape.trans_a = entry.guard.trans_a, shape.trans_b = entry.guard.trans_b;
      if (entry.routine == spec::Routine::gemv) shape.m = 1 + below(4000), shape.n = 1;
      shape.m = std::min(shape.m, entry.m_max), shape.n = std::min(shape.n, entry.n_max);
      const auto map = spec::regions(entry.regimes, {shape.m, shape.n, shape.k});
      if (!map) {
        ++misses;
        continue;
      }
      test::Product<T> data(random_, shape);
      const std::vector<T> before = data.c;
      try {
        spec::interpret_matrix(*map, spec_.orders, data.arguments());
      } catch (const UserError&) {  // not defined at this k
        ++misses;
        continue;
      }
      const std::vector<T> wanted = data.c;
      data.c = before;
      try {
        runner_.run(launches.call(*map, data.call),
                    {test::memory_of(data.a), test::memory_of(data.b), test::memory_of(data.c)});
        compare(count, wanted, data.c,
                name + " m, n, k = " + std::to_string(shape.m) + ", " + std::to_string(shape.n) +
                    ", " + std::to_string(shape.k));
        count.outputs += shape.m * shape.n, ++count.calls;
      } catch (const UserError& error) {
        count.refused[error.what()] += shape.m * shape.n;
      }
      compared += shape.m * shape.n;
    }
  }

  const spec::Spec& spec_;
  test::LaunchRunner& runner_;
  std::mt19937_64 random_;
  Counts counts_;
};

class DeviceCaptured : public testing::TestWithParam<std::string> {};

spec::Spec read_spec(const std::string& file) {
  const base::FileText text =
      base::read_file(REPROSUM_SOURCE_DIR "/spec/library/" + file, std::size_t{1} << 26);
  if (!text.why.empty()) throw EnvironmentError(file + ": " + text.why);
  return spec::from_json(text.text);
}

void expect_bits(test::LaunchRunner& runner, const std::string& file) {
  const spec::Spec spec = read_spec(file);
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::int64_t outputs = 0;
  for (const auto& [name, count] : Captured(spec, runner, seed).run(wanted_outputs())) {
    std::printf("%s %s on %s: %lld outputs of %lld calls, %lld mismatches\n", file.c_str(),
                name.c_str(), runner.name(), static_cast<long long>(count.outputs),
                static_cast<long long>(count.calls), static_cast<long long>(count.mismatches));
    for (const auto& [why, many] : count.refused)
      std::printf("  refused %lld outputs: %s\n", static_cast<long long>(many), why.c_str());
    std::fflush(stdout);
    EXPECT_EQ(count.mismatches, 0) << name;
    outputs += count.outputs;
  }
  EXPECT_GT(outputs, wanted_outputs() / 2);
}

TEST_P(DeviceCaptured, OnOpenCl) {
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  expect_bits(*runner, GetParam());
}

TEST_P(DeviceCaptured, ByFibres) { expect_bits(*test::fibre_runner(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Library, DeviceCaptured,
                         testing::Values("openblas-0.3.21-Haswell.json",
                                         "openblas-0.3.21-SkylakeX.json",
                                         "openblas-0.3.21-Nehalem.json",
                                         "openblas-0.3.21-Cooperlake.json",
                                         "openblas-0.3.21-Zen.json", "blis-0.9.0-haswell.json",
                                         "reference-3.11.0.json", "numpy-1.24-sum.json"),
                         [](const auto& info) {
                           std::string name = info.param.substr(0, info.param.rfind(".json"));
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

// Sums of very many pieces, beyond what was captured. REPROSUM_DEVICE_LONG says of how many
// summands.
template <class T>
void expect_long(test::LaunchRunner& runner, spec::Order order, const spec::Entry& entry) {
  const char* const given = std::getenv("REPROSUM_DEVICE_LONG");
  const std::int64_t n = given == nullptr ? 10'000'019 : std::atoll(given);
  order.regimes.back().hi = std::max(order.regimes.back().hi, n);
  std::mt19937_64 random(11);
  test::Rows<T> rows(random, n, 1, 1, 1, false);
  std::vector<T> got(1);
  const Launches launches = SumLaunches(order, entry.routine, entry.type).call(rows.call);
  runner.run(launches, {test::memory_of(rows.x), test::memory_of(got)});
  EXPECT_TRUE(test::same(rows.value(order, 0, false), got[0])) << n;
  std::printf("%s of %lld summands: %zu launches\n",
              spec::blas_name(entry.routine, entry.type).c_str(), static_cast<long long>(n),
              launches.launches.size());
}

TEST(DeviceLong, NumpySumsOfManyPieces) {
  std::string why;
  const auto runner = test::opencl_runner(&why);
  if (runner == nullptr) GTEST_SKIP() << why;
  const spec::Spec spec = read_spec("numpy-1.24-sum.json");
  for (const spec::Entry& entry : spec.entries) {
    const spec::Order& order = spec.orders[spec::order_of(entry)];
    spec::is_f32(entry.type) ? expect_long<float>(*runner, order, entry)
                             : expect_long<double>(*runner, order, entry);
  }
}

}  // namespace
}  // namespace reprosum::kernels::launch

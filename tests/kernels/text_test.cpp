// C text: compiled by the compilers of this machine, without our library, it gives the
// interpreter's bits.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "kernels/text/c_spec.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::kernels::text {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargest = 5000;

spec::Spec spec_of(const test::NamedOrder& named) {
  spec::Spec spec;
  spec.orders.push_back(spec::parse_order(named.text));
  const spec::IncrementRange any(spec::IncrementRange::kLeast, spec::IncrementRange::kGreatest);
  spec.entries.push_back(spec::entry_of_one_output(
      named.routine, named.type,
      spec::vector_guard({{any, named.routine == spec::Routine::sum ? 0 : any}}, {1}), 0,
      std::min(kLargest, spec::covered_to(spec.orders[0]))));
  return spec;
}

// A shared library of the text, in a folder of its own.
class Compiled {
 public:
  Compiled(const CText& text, const std::string& compiler, const std::string& flags) {
    std::string folder = (fs::temp_directory_path() / "reprosum-text-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw EnvironmentError("no temporary folder");
    folder_ = folder;
    std::string sources;
    for (const CFile& file : text.files) {
      std::ofstream(folder_ / file.name) << file.content;
      if (file.name.ends_with(".c")) sources += " " + (folder_ / file.name).string();
    }
    const std::string library = (folder_ / "text.so").string();
    const std::string command = compiler +
                                " -std=c11 -pedantic -Wall -Wextra -Wconversion -Werror " + flags +
                                " -shared -fPIC -o " + library + sources + " -lm";
    if (std::system(command.c_str()) != 0) throw UserError(command);
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw EnvironmentError(dlerror());
  }
  ~Compiled() {
    if (handle_ != nullptr) dlclose(handle_);
    if (!testing::Test::HasFailure()) fs::remove_all(folder_);
  }
  void* find(const std::string& name) const { return dlsym(handle_, name.c_str()); }

 private:
  fs::path folder_;
  void* handle_ = nullptr;
};

template <class T>
T call(void* function, bool has_y, std::int64_t n, const T* x, std::int64_t incx, const T* y,
       std::int64_t incy) {
  T result = T(12345);
  int code = 0;
  if (has_y)
    code = reinterpret_cast<int (*)(int, std::int64_t, const T*, std::int64_t, const T*,
                                    std::int64_t, T*)>(function)(1, n, x, incx, y, incy, &result);
  else
    code = reinterpret_cast<int (*)(int, std::int64_t, const T*, std::int64_t, T*)>(function)(
        1, n, x, incx, &result);
  EXPECT_EQ(code, 0);
  return result;
}

// BLAS's pointer is the lowest address, the interpreter's the first summand.
template <class T>
const T* first(const std::vector<T>& v, std::int64_t n, std::int64_t inc) {
  return inc < 0 ? v.data() + (1 - n) * inc : v.data();
}

template <class T>
void expect_bits(const Compiled& library, const test::NamedOrder& named, std::uint64_t seed) {
  const spec::Order order = spec::parse_order(named.text);
  const bool has_y = named.routine == spec::Routine::dot;
  void* const function = library.find("one_" + spec::blas_name(named.routine, named.type));
  ASSERT_NE(function, nullptr);
  std::mt19937_64 random(seed);
  const std::int64_t most = std::min(kLargest, spec::covered_to(order));
  for (int trial = 0; trial < 400; ++trial) {
    const std::int64_t n =
        trial < 140 ? trial / 2 + 1 : std::int64_t(1 + random() % std::uint64_t(most));
    if (n > most) continue;
    const std::int64_t incx = trial % 3 == 0 ? 3 : trial % 7 == 0 ? -2 : 1;
    const std::int64_t incy = trial % 3 == 0 ? -1 : 1;
    const auto x = test::hostile_data<T>(random, 3 * n, trial % 5 == 0);
    const auto y = test::hostile_data<T>(random, 3 * n, trial % 5 == 0);
    T want;
    try {
      want = spec::evaluate<T>(order, n, first(x, n, incx), incx,
                               has_y ? first(y, n, incy) : nullptr, incy);
    } catch (const UserError&) {
      continue;  // explicit trees have gaps
    }
    const T got = call<T>(function, has_y, n, x.data(), incx, y.data(), incy);
    ASSERT_TRUE(test::same(want, got)) << named.name << " n = " << n << " incx = " << incx
                                       << " seed " << seed << ": " << want << " " << got;
  }
}

std::vector<test::NamedOrder> every_order() {
  auto orders = test::library_orders();
  for (test::NamedOrder& order : test::synthetic_orders()) orders.push_back(std::move(order));
  std::mt19937_64 random(7);
  for (int k = 0; k < 20; ++k) {
    orders.push_back(test::random_order(random));
    orders.back().name = "random " + std::to_string(k);
  }
  return orders;
}

// (compiler, flags)
class Text : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Text, GivesTheInterpretersBits) {
  const auto [compiler, flags] = GetParam();
  if (std::system(("command -v " + compiler + " > /dev/null").c_str()) != 0)
    GTEST_SKIP() << compiler << " is not installed";
  std::size_t printed = 0;
  for (const test::NamedOrder& named : every_order()) {
    SCOPED_TRACE(named.name);
    const CText text = c_text(spec_of(named), "one");
    if (!text.missing.empty()) continue;
    ++printed;
    // Optimised for this machine and with the compiler's own idea of contraction: the text forbids
    // it itself.
    const Compiled library(text, compiler, flags);
    if (spec::is_f32(named.type))
      expect_bits<float>(library, named, 20 + printed);
    else
      expect_bits<double>(library, named, 20 + printed);
  }
  EXPECT_GT(printed, 40u);
}

// -O3 makes vectors of what -O2 leaves alone.
INSTANTIATE_TEST_SUITE_P(Compilers, Text,
                         testing::Combine(testing::Values("gcc", "clang"),
                                          testing::Values("-O2 -march=native",
                                                          "-O3 -march=native")));

TEST(Text, SaysWhatItHasNoWordsFor) {
  test::NamedOrder named{"chain", spec::Routine::dot, spec::Type::bf16,
                         "1..1000: loop 1 { 0: [f@0 +1 x q]; }"};
  ASSERT_EQ(c_text(spec_of(named), "one").missing.size(), 1);
  EXPECT_EQ(c_text(spec_of(named), "one").missing[0],
            "dot(bf16): C text is printed for f32 and f64");
  EXPECT_EQ(c_text(spec_of(named), "one").entries, 1);
  named.type = spec::Type::f32;
  EXPECT_TRUE(c_text(spec_of(named), "one").missing.empty());
  // Also where a loop with padding is rewritten, and a split as a loop.
  for (const char* fused :
       {"1..1000: loop 1 { 0: fused(terms=4) [f@0 +1 x q]; }",
        "1..1000: loop 4 pad { 0: fused(terms=4) [f@0 +1 x 4q]; }",
        "1..4: loop 1 { 0: fused(terms=4) [f@0 +1 x q]; } 5..1000: split last(4) { self, self }"}) {
    named.text = fused;
    const CText text = c_text(spec_of(named), "one");
    ASSERT_EQ(text.missing.size(), 1) << fused;
    EXPECT_NE(text.missing[0].find("fuse several terms"), std::string::npos) << text.missing[0];
  }
}

// Fast-math, and each of its parts, which may change the bits of some order by itself.
TEST(Text, RefusesFlagsThatChangeBits) {
  const test::NamedOrder named = test::library_orders()[0];
  const CText text = c_text(spec_of(named), "one");
  const std::vector<std::pair<std::string, std::vector<std::string>>> refused = {
      {"gcc",
       {"-ffast-math", "-funsafe-math-optimizations", "-ffinite-math-only", "-freciprocal-math",
        "-fno-signed-zeros", "-fassociative-math -fno-signed-zeros -fno-trapping-math"}},
      {"clang", {"-ffast-math", "-ffinite-math-only"}}};
  for (const auto& [compiler, all] : refused)
    for (const std::string& flags : all) {
      if (std::system(("command -v " + compiler + " > /dev/null").c_str()) != 0) continue;
      EXPECT_THROW(Compiled(text, compiler, "-O1 " + flags + " 2> /dev/null"), UserError)
          << compiler << " " << flags;
    }
}

// Clang does not name the other parts, so the text puts them off.
TEST(Text, PutsOffWhatClangDoesNotName) {
  if (std::system("command -v clang > /dev/null") != 0) GTEST_SKIP() << "clang is not installed";
  for (const test::NamedOrder& named : test::library_orders()) {
    SCOPED_TRACE(named.name);
    const CText text = c_text(spec_of(named), "one");
    if (!text.missing.empty()) continue;
    const Compiled library(text, "clang", "-O3 -march=native -funsafe-math-optimizations");
    if (spec::is_f32(named.type))
      expect_bits<float>(library, named, 9);
    else
      expect_bits<double>(library, named, 9);
  }
}

// Two specs in one program: nothing is public but what carries the prefix.
TEST(Text, HasNoPublicNameWithoutItsPrefix) {
  for (const test::NamedOrder& named : test::library_orders()) {
    const CText text = c_text(spec_of(named), "one");
    for (const CFile& file : text.files) {
      if (!file.name.ends_with(".c")) continue;
      std::istringstream lines(file.content);
      for (std::string line; std::getline(lines, line);) {
        if (line.find(") {") == std::string::npos || line[0] == ' ' || line[0] == '/') continue;
        EXPECT_TRUE(line.starts_with("static ") || line.starts_with("REPROSUM_INLINE static ") ||
                    line.starts_with("int one_"))
            << line;
      }
    }
  }
}

TEST(Text, SaysWhatItCannotPrint) {
  for (const test::NamedOrder& named : test::lane_orders()) {
    const CText text = c_text(spec_of(named), "one");
    ASSERT_EQ(text.missing.size(), 1u) << named.name;
    EXPECT_NE(text.missing[0].find("lanes that a sub-order adds"), std::string::npos)
        << text.missing[0];
  }
  test::NamedOrder flushing = test::library_orders()[0];
  flushing.text = "flush both 1..99: loop 1 { 0: [f@0 +1 x q]; }";
  flushing.n_max = 99;
  const CText text = c_text(spec_of(flushing), "one");
  ASSERT_EQ(text.missing.size(), 1u);
  EXPECT_NE(text.missing[0].find("subnormal numbers"), std::string::npos) << text.missing[0];
}

// The walk of the text asks no questions: what it could not cut, or has no regime, is not printed.
TEST(Text, RefusesPiecesThatMayHaveNoOrder) {
  const std::string loop = "loop 1 { 0: [.@0 +1 x q]; }";
  const std::string sub = "sub 0 { 1..7: " + loop + " 16..300: " + loop + " } ";
  for (const char* const rule :
       {"split half_up(16) { self, self }", "split half_up(16) { sub 0, sub 0 }",
        "parts ceil(count=8, m=16) fold self", "parts floor(count=8, m=2) fold sub 0",
        "parts fixed(m=12) fold sub 0", "split last_const(9) { self, sub 0 }"}) {
    test::NamedOrder odd = test::library_orders()[0];
    odd.text = sub + "1..6: " + loop + " 7..300: " + rule;
    odd.routine = spec::Routine::sum;
    const CText text = c_text(spec_of(odd), "one");
    ASSERT_EQ(text.missing.size(), 1u) << rule;
    EXPECT_NE(text.missing[0].find("may have no order"), std::string::npos) << text.missing[0];
  }
}

// As a capture leaves them at a border that it could not place: C has no empty arrays.
TEST(Text, PrintsRegimesWithoutClasses) {
  spec::Spec spec = spec::samples::skylakex_dgemm();
  spec::MatrixRegime& regime = spec.entries[0].regimes[0];
  regime.classes.clear();
  for (auto& row : regime.table) std::fill(row.begin(), row.end(), -1);
  bool has_regime = false;
  for (const CFile& file : c_text(spec, "one").files) {
    EXPECT_EQ(file.content.find("[] = {}"), std::string::npos) << file.name;
    has_regime =
        has_regime || file.content.find("entry0_regime0_outputs[] = {0}") != std::string::npos;
  }
  EXPECT_TRUE(has_regime);
}

// A gemv of one row.
spec::Entry gemv_entry(std::size_t order, spec::Trans trans) {
  spec::Guard guard = spec::vector_guard({{1, 1}}, {1});
  guard.trans_a = trans;
  return spec::entry_of_one_output(spec::Routine::gemv, spec::Type::f64, guard, order, 99);
}

// Two entries share a class whose order has no text: neither is printed, the third is.
TEST(Text, RefusesEveryEntryOfAnOrderThatItCannotPrint) {
  spec::Spec spec;
  spec.orders = {spec::parse_order(test::lane_orders()[0].text),
                 spec::parse_order("1..99: loop 1 { 0: [f@0 +1 x q]; }")};
  spec.entries = {gemv_entry(0, spec::Trans::no), gemv_entry(0, spec::Trans::no),
                  gemv_entry(1, spec::Trans::yes)};
  spec.entries[1].guard.increments = {{2, 1}};
  const CText text = c_text(spec, "one");
  EXPECT_EQ(text.missing.size(), 2u);
  const Compiled library(text, "cc", "-O1");
  EXPECT_NE(library.find("one_dgemv"), nullptr);
}

// An infinite alpha times a factor 0 is NaN and not zero: the factor still is.
TEST(Text, FindsAZeroFactorWhateverAlphaIs) {
  spec::Spec spec;
  spec.orders = {spec::parse_order("1..99: loop 1 { 0: [f@0 +1 x q]; }")};
  spec.entries = {gemv_entry(0, spec::Trans::no)};
  spec.entries[0].guard.nonzero_only = true;
  const Compiled library(c_text(spec, "one"), "cc", "-O1");
  const auto dgemv = reinterpret_cast<int (*)(
      int, int, std::int64_t, std::int64_t, double, const double*, std::int64_t, const double*,
      std::int64_t, double, double*, std::int64_t)>(library.find("one_dgemv"));
  ASSERT_NE(dgemv, nullptr);
  const double with_zero[] = {1, 0}, without[] = {1, 1}, tiny[] = {1, 0x1p-600};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double alpha : {1.0, kInfinity, -kInfinity, std::nan(""), 0x1p-600}) {
    const auto covers = [&](const double* a, const double* x) {
      double y = 1;
      return dgemv(1, 0, 1, 2, alpha, a, 1, x, 1, 1, &y, 1) == 0;
    };
    EXPECT_FALSE(covers(with_zero, without)) << alpha;
    EXPECT_FALSE(covers(without, with_zero)) << alpha;
    EXPECT_TRUE(covers(without, without)) << alpha;
    EXPECT_EQ(covers(tiny, without), alpha != 0x1p-600) << alpha;
  }
}

TEST(Text, RefusesAPrefixThatIsNoIdentifier) {
  for (const char* prefix : {"", "1a", "a-b", "a b", "a/b", "\xc3\xa4"})
    EXPECT_THROW(c_text({}, prefix), UserError) << prefix;
}

TEST(Text, NamesItsOrderInTheSpecsNotation) {
  const test::NamedOrder named = test::library_orders()[0];
  const CText text = c_text(spec_of(named), "one");
  std::string comment;  // of all regimes, without the lines' own marks
  for (const CFile& file : text.files) comment += file.content;
  EXPECT_NE(comment.find("loop "), std::string::npos);
  EXPECT_NE(comment.find(spec::meaning_hash(spec_of(named))), std::string::npos);
}

}  // namespace
}  // namespace reprosum::kernels::text

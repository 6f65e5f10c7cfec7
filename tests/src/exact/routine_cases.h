// What the tests of routines share: numbers of cases, kernels in turn, scalars, comparison.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "src/exact/sums/kernels.h"
#include "tests/src/exact/generators.h"
#include "tests/src/exact/referee.h"
#if defined(__x86_64__)
#include "src/exact/sums/kernels_x86.h"
#endif
#include "src/exact/machine/prefetch.h"

namespace reprosum::exact::testing {

// REPROSUM_EXACT_CASES, or a number that a default run has time for.
inline std::int64_t cases_or(std::int64_t few) {
  const char* const text = std::getenv("REPROSUM_EXACT_CASES");
  return text != nullptr ? std::atoll(text) : few;
}

// This host's kernels, and none.
inline std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all = {nullptr};
  for (const Kernels* one : kernels_of_this_host()) all.push_back(one);
  return all;
}
// This host's vector kernels as each maker's processors are told to use them.
inline std::vector<const Kernels*> kernels_of_all_makers() {
  std::vector<const Kernels*> all;
#if defined(__x86_64__)
  static const Kernels on_amd[] = {as_on_amd(kAvx512Kernels), as_on_amd(kAvx2Kernels)};
  for (const Kernels* one : kernels_of_this_host()) {
    all.push_back(one->lanes == 8 ? &kAvx512Kernels : &kAvx2Kernels);
    all.push_back(&on_amd[one->lanes == 8 ? 0 : 1]);
  }
#endif
  return all;
}
// body() as each maker's processors are told to read memory.
template <class Body>
void for_each_reading(Body&& body) {
  const Reading here = reading;
  for (const Reading& one : {kForeseesLines, kReadsFarAhead, kReadsAhead}) {
    reading = one;
    body();
  }
  reading = here;
}
inline const char* name_of(const Kernels* kernels) {
  return kernels != nullptr ? kernels->name : "portable";
}

template <class T>
T any_bits(std::mt19937_64& random) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(random()));
}

// What alpha and beta are: special for the routines, few bits, many bits, any bits at all.
template <class T>
T any_scalar(std::mt19937_64& random) {
  const T fixed[] = {T(0), T(-0.0), T(1), T(-1), T(2), T(-0.5), T(3), T(0.1)};
  const std::uint64_t draw = random() % 16;
  if (draw < 8) return fixed[draw];
  if (draw == 8) return any_bits<T>(random);
  return static_cast<T>(std::ldexp(static_cast<double>(random()), -64) - 0.5);
}

// Counts, and reports the first few.
class Mismatches {
 public:
  template <class T, class Said>
  void compare(T got, T wanted, Said&& said) {
    ++done_;
    if (bits(got) == bits(wanted)) return;
    if (++wrong_ <= 5) ADD_FAILURE() << said() << ": " << got << " where MPFR has " << wanted;
  }
  std::int64_t done() const { return done_; }
  bool too_many() const { return wrong_ > 5; }

 private:
  std::int64_t done_ = 0, wrong_ = 0;
};

// How many results of each kind of terms were compared, in the test's report.
class ByKind {
 public:
  void add(Kind kind, std::int64_t compared) { compared_[static_cast<int>(kind)] += compared; }
  void record(std::uint64_t seed) const {
    for (const Kind kind : kKinds)
      ::testing::Test::RecordProperty(std::string(name(kind)) + ", seed " + std::to_string(seed),
                                      std::to_string(compared_[static_cast<int>(kind)]));
  }

 private:
  std::int64_t compared_[std::size(kKinds)] = {};
};

}  // namespace reprosum::exact::testing

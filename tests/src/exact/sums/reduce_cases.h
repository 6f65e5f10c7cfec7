// Sums and dot products of generated terms against MPFR, `cases` of them over all kinds, with each
// of this host's kernels and without any in turn.
#pragma once

#include <gtest/gtest.h>

#include "src/exact/sums/reduce.h"
#include "tests/src/exact/generators.h"
#include "tests/src/exact/referee.h"
#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {

template <class T>
T referee_result(const Terms<T>& terms, bool dot, Referee& referee) {
  referee.clear();
  for (std::size_t i = 0; i < terms.x.size(); ++i) {
    if (dot)
      referee.add_product(terms.x[i], terms.y[i]);
    else
      referee.add(terms.x[i]);
  }
  return referee.rounded<T>(Rounding::nearest_even);
}

// size(random) gives the number of terms of a case.
template <class T, class Size>
void check_reductions(bool dot, std::int64_t cases, std::uint64_t seed, Size&& size) {
  std::mt19937_64 random(seed);
  Referee referee;
  ByKind compared;
  std::int64_t wrong = 0, done = 0;
  std::vector<const Kernels*> kernels = {nullptr};
  for (const Kernels* one : kernels_of_this_host()) kernels.push_back(one);
  while (done < cases) {
    for (const Kind kind : kKinds) {
      const Terms<T> terms = make_terms<T>(kind, size(random), dot, random);
      const auto n = static_cast<std::int64_t>(terms.x.size());
      const T wanted = referee_result(terms, dot, referee);
      const Kernels* const with =
          kernels[static_cast<std::size_t>(done) / std::size(kKinds) % kernels.size()];
      const T got = dot ? dot_with(with, n, terms.x.data(), 1, terms.y.data(), 1)
                        : sum_with(with, n, terms.x.data(), 1);
      ++done;
      compared.add(kind, 1);
      if (bits(got) == bits(wanted)) continue;
      ++wrong;
      ASSERT_LT(wrong, 10) << "too many";
      ADD_FAILURE() << name(kind) << ", " << (with != nullptr ? with->name : "portable") << ", n "
                    << n << ": " << got << " where MPFR has " << wanted << " (seed " << seed
                    << ", case " << done << ")";
    }
  }
  compared.record(seed);
  ASSERT_TRUE(referee.trustworthy());
}

}  // namespace reprosum::exact::testing

// Ten million cases per routine, every kind of terms, no bit wrong. REPROSUM_EXACT_CASES changes
// the number.
#include <cstdlib>

#include "reduce_cases.h"

namespace reprosum::exact::testing {
namespace {

std::int64_t cases() {
  const char* text = std::getenv("REPROSUM_EXACT_CASES");
  return text != nullptr ? std::atoll(text) : 10'000'000;
}

// Mostly very short, where each term decides; some long enough for every kernel.
std::size_t size(std::mt19937_64& random) {
  return random() % 1024 != 0 ? random() % 7 : random() % 600;
}

TEST(AllReductions, SumsOfFloat) { check_reductions<float>(false, cases(), 101, size); }
TEST(AllReductions, SumsOfDouble) { check_reductions<double>(false, cases(), 102, size); }
TEST(AllReductions, DotsOfFloat) { check_reductions<float>(true, cases(), 103, size); }
TEST(AllReductions, DotsOfDouble) { check_reductions<double>(true, cases(), 104, size); }

}  // namespace
}  // namespace reprosum::exact::testing

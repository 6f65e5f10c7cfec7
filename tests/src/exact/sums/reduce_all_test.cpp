// Ten million cases per routine, every kind of terms, no bit wrong. REPROSUM_EXACT_CASES changes
// the number.
#include <cstdlib>

#include "tests/src/exact/sums/reduce_cases.h"

namespace reprosum::exact::testing {
namespace {

std::int64_t cases() {
  const char* text = std::getenv("REPROSUM_EXACT_CASES");
  return text != nullptr ? std::atoll(text) : 10'000'000;
}

// Mostly very short, where each term decides; a quarter long enough for the kernels, some of
// several blocks.
std::size_t size(std::mt19937_64& random) {
  const std::uint64_t draw = random() % 4096;
  if (draw == 0) return random() % 6000;
  return draw < 1024 ? 24 + random() % 12 : random() % 7;
}

TEST(AllReductions, SumsOfFloat) { check_reductions<float>(false, cases(), 101, size); }
TEST(AllReductions, SumsOfDouble) { check_reductions<double>(false, cases(), 102, size); }
TEST(AllReductions, DotsOfFloat) { check_reductions<float>(true, cases(), 103, size); }
TEST(AllReductions, DotsOfDouble) { check_reductions<double>(true, cases(), 104, size); }

}  // namespace
}  // namespace reprosum::exact::testing

// Sums where no more code can be loaded: a sandbox that is closed after the first calls.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "kernels/kernel.h"
#include "spec/evaluate/evaluate.h"
#include "spec/surface.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

namespace reprosum::kernels {
namespace {

enum class Found { right, wrong, no_sandbox };

// Whether pages of code can be refused here: Linux 6.3 and later.
bool close_sandbox() { return prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L) == 0; }

// Sums by an order whose kernel is made before new code is forbidden, while its code for increments
// and for batches is not.
Found sums_without_new_code(Isa isa) {
  constexpr std::int64_t n = 1000, rows = 9;
  const spec::Order order = spec::parse_order("1..99999: loop 1 { 0: [.@0 +1 x q]; }");
  std::vector<double> x(2 * n * rows);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = 1 / static_cast<double>(k + 1);
  const auto kernel = compile<double>(order, spec::Routine::sum, {isa, ""});
  if (kernel->isa() != isa) return Found::wrong;
  if (!close_sandbox()) return Found::no_sandbox;
  double strided = 0;
  std::vector<double> batch(rows);
  for (int again = 0; again < 2; ++again) {
    if (kernel->call_strided(n, x.data(), 2, nullptr, 1, &strided)) return Found::wrong;
    kernel->batch(n, rows, x.data(), n, nullptr, 0, batch.data());
    for (std::int64_t row = 0; row < rows; ++row)
      if (batch[row] != spec::evaluate<double>(order, n, x.data() + row * n, 1, nullptr, 0))
        return Found::wrong;
  }
  return Found::right;
}

// In children, whose sandboxes end with them. What cannot be loaded throws nothing: the caller has
// another way to every bit.
TEST(NoPages, OtherWaysServe) {
  for (const Isa isa : host_isas()) {
    if (isa == Isa::interpreter) continue;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        _exit(static_cast<int>(sums_without_new_code(isa)));
      } catch (...) {
        _exit(9);
      }
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << name(isa);
    if (WEXITSTATUS(status) == static_cast<int>(Found::no_sandbox))
      GTEST_SKIP() << "this kernel cannot refuse pages of code";
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Found::right)) << name(isa);
  }
}

}  // namespace
}  // namespace reprosum::kernels

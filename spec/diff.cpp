// diff(): the first size and the first node at which two orders part.
#include <optional>
#include <string>
#include <tuple>

#include "spec/diff_nodes.h"
#include "spec/diff_rules.h"
#include "spec/diff_sizes.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kDenseTo = 2048;
// Summands of all the trees built beyond the dense range. Above that, sizes are skipped at which
// the rules alone do not show that the trees are equal; OrderDifference::searched_to does not claim
// them.
constexpr std::int64_t kTreeBudget = 5'000'000;

std::optional<Tree> tree_of(const Order& order, std::int64_t n) {
  try {
    return expand(order, n);
  } catch (const UserError&) {
    return std::nullopt;  // a piece of n is not defined
  }
}

class Search {
 public:
  Search(const Order& a, const Order& b) : a_(a), b_(b), rules_(a, b) {}

  std::optional<OrderDifference> run() {
    for (std::int64_t n = 1; n <= kDenseTo; ++n) {
      searched_to_ = n;
      if (differs_at(n)) return found_;
      if (flushes_otherwise(n)) return found_;
    }
    for (const std::int64_t n : sizes_that_matter(a_, b_, kDenseTo))
      if (differs_at(n)) return found_;
    if (found_.n != 0) return found_;
    if (!coverage_ && !is_compared_ && undefined_to_ > 0)
      note_coverage(undefined_to_, "not defined", "not defined");
    if (coverage_) coverage_->searched_to = searched_to_;
    return coverage_;
  }

 private:
  // Whether more than zeros differs at n; the first difference of any kind is noted as well.
  bool differs_at(std::int64_t n) {
    const bool in_a = covers(a_, n), in_b = covers(b_, n);
    if (!in_a && !in_b) return false;
    if (in_a != in_b) {
      note_coverage(n, in_a ? "defined" : "not defined", in_b ? "defined" : "not defined");
      return false;
    }
    if (is_compared_ && rules_.surely_equal(n)) return false;
    if (n > kDenseTo) {
      if (spent_ + n > kTreeBudget) return false;
      spent_ += n;
    }
    const std::optional<Tree> a = tree_of(a_, n), b = tree_of(b_, n);
    if (!a && !b) {
      undefined_to_ = n;
      return false;
    }
    if (!a || !b) {
      note_coverage(n, a ? "defined" : "not defined", b ? "defined" : "not defined");
      return false;
    }
    is_compared_ = true;
    if (a->ops == b->ops) return false;
    if (found_.n == 0) {
      found_.n = n;
      std::tie(found_.node_a, found_.node_b) = first_parting_nodes(*a, *b);
      found_.searched_to = searched_to_;
    }
    const std::optional<Tree> bare_a = without_zeros(*a), bare_b = without_zeros(*b);
    const bool is_bare = bare_a && bare_b;
    if (is_bare && bare_a->ops == bare_b->ops) return false;
    found_.summands_n = n;
    std::tie(found_.summands_a, found_.summands_b) =
        is_bare ? first_parting_nodes(*bare_a, *bare_b) : first_parting_nodes(*a, *b);
    return true;
  }

  // From two summands on there is an addition, whose bits depend on how the orders flush.
  bool flushes_otherwise(std::int64_t n) {
    if (a_.flush == b_.flush || n < 2 || !covers(a_, n) || !covers(b_, n)) return false;
    if (found_.n == 0) found_.n = n;
    found_.summands_n = n;
    found_.summands_a = "where " + describe(a_.flush);
    found_.summands_b = "where " + describe(b_.flush);
    if (found_.node_a.empty()) {
      found_.node_a = found_.summands_a;
      found_.node_b = found_.summands_b;
    }
    found_.searched_to = n;
    return true;
  }

  void note_coverage(std::int64_t n, const char* in_a, const char* in_b) {
    if (coverage_) return;
    coverage_.emplace();
    coverage_->n = n;
    coverage_->only_coverage = true;
    coverage_->node_a = in_a;
    coverage_->node_b = in_b;
  }

  const Order& a_;
  const Order& b_;
  RuleComparison rules_;
  OrderDifference found_;
  std::optional<OrderDifference> coverage_;
  std::int64_t searched_to_ = 0, spent_ = 0;
  bool is_compared_ = false;       // at some n, where both are defined
  std::int64_t undefined_to_ = 0;  // the last n at which neither is, though a regime holds it
};

}  // namespace

std::optional<OrderDifference> diff(const Order& a, const Order& b) {
  if (a == b) return std::nullopt;
  return Search(a, b).run();
}

}  // namespace reprosum::spec

#include "reveal/check/class_check.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "reveal/check/classify.h"
#include "reveal/check/far_sizes.h"
#include "reveal/check/telling_data.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kAllClassesTo = 20'000;   // every class at each size of the plan up to here
constexpr int kHostile = 24;                     // vectors that tell a size from a class
constexpr int kFarTelling = 1, kFarClasses = 1;  // vectors of each far size

// Stands for vectors made for the tree, which are as hostile as can be.
constexpr Data kMadeForTree = Data::wide;

// @pre no increment is 0
Vectors telling_vectors(const Call& call, const spec::Tree& tree, std::int64_t rows,
                        FastRandom& random) {
  Vectors data;
  data.x.resize(static_cast<std::size_t>(call.k * rows));
  if (call.routine == spec::Routine::dot) data.y.resize(data.x.size());
  fill_telling(tree, call.type, random, rows, data.x, data.y);
  return data;
}

bool is_varied(const Call& call) {
  return call.incx != 0 && (call.routine == spec::Routine::sum || call.incy != 0);
}

// Rows of several kinds at one size, run at once.
struct Rows {
  Call call;
  std::vector<Data> kinds;
  Vectors data{};

  void add(Data kind, FastRandom& random) {
    append(random_vectors(call, 1, kind, random), 1, kind);
  }
  // Made for the tree.
  void add(const spec::Tree& tree, int count, FastRandom& random) {
    append(telling_vectors(call, tree, count, random), count, kMadeForTree);
  }
  void append(const Vectors& rows, int count, Data kind) {
    data.x.insert(data.x.end(), rows.x.begin(), rows.x.end());
    data.y.insert(data.y.end(), rows.y.begin(), rows.y.end());
    kinds.insert(kinds.end(), static_cast<std::size_t>(count), kind);
  }
  Vectors row(std::size_t at) const {
    const auto n = static_cast<std::ptrdiff_t>(call.k), first = static_cast<std::ptrdiff_t>(at) * n;
    Vectors one;
    one.x.assign(data.x.begin() + first, data.x.begin() + first + n);
    if (!data.y.empty()) one.y.assign(data.y.begin() + first, data.y.begin() + first + n);
    return one;
  }
};

class ClassCheck {
 public:
  ClassCheck(Target& target, const Call& context, const spec::Order& order, const ClassPlan& plan)
      : target_(target), context_(context), order_(order), plan_(plan), random_(plan.seed) {}

  ClassResult run() {
    std::vector<std::int64_t> sizes;
    for (const SizePlan& size :
         plan_sizes(order_, plan_.n_max, 1, plan_.elements / kDataClasses, plan_.seed + 1))
      sizes.push_back(size.n);
    shuffle(sizes);
    std::int64_t left = plan_.elements;
    for (const std::int64_t n : sizes) {
      std::int64_t classes = kDataClasses;
      if (n > kAllClassesTo) classes = std::clamp<std::int64_t>(left / (8 * n), 1, kDataClasses);
      left -= n * classes;
      if (!look_at(n, static_cast<int>(classes), std::nullopt)) return result_;
    }
    sizes.clear();
    for (std::int64_t n = 1; n <= std::min(plan_.every_to, plan_.n_max); ++n)
      if (spec::covers(order_, n)) sizes.push_back(n);
    shuffle(sizes);
    for (const std::int64_t n : sizes)
      if (!look_at(n, plan_.classes, plan_.telling)) return result_;
    sizes = far_sizes(plan_.every_to, plan_.n_max, plan_.far_elements / (kFarTelling + kFarClasses),
                      random_);
    std::erase_if(sizes, [&](std::int64_t n) { return !spec::covers(order_, n); });
    shuffle(sizes);
    for (const std::int64_t n : sizes) {
      if (!look_at(n, kFarClasses, std::min(kFarTelling, plan_.telling))) return result_;
      ++result_.far_sizes;
    }
    return result_;
  }

 private:
  void shuffle(std::vector<std::int64_t>& sizes) {
    for (std::size_t at = sizes.size(); at > 1; --at)
      std::swap(sizes[at - 1],
                sizes[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(at)))]);
  }

  // So many classes in turn, and first, unless it is nullopt, so many vectors made for the tree, or
  // a hostile one; false at a mismatch.
  bool look_at(std::int64_t n, int classes, std::optional<int> telling) {
    Rows rows{context_, {}};
    rows.call.k = n;
    if (telling && *telling > 0 && is_varied(context_) && n <= spec::kMaxExplicitLeaves) {
      const spec::Tree tree = spec::expand(order_, n);
      rows.add(tree, *telling, random_);
    } else if (telling) {
      rows.add(Data::wide, random_);
    }
    bool is_one_vector = false;
    for (int k = 0; k < classes; ++k) {
      const Data kind = data_class(turn_++ % kDataClasses);
      if (kind == Data::same && may_be_one_vector() && random_.below(2) == 0)
        is_one_vector = true;
      else
        rows.add(kind, random_);
    }
    if (!rows.kinds.empty() && !holds(rows)) return false;
    if (!is_one_vector) return true;
    Rows one{rows.call, {}};
    one.call.place.shift = 0;
    one.add(Data::same, random_);
    return holds(one);
  }

  bool may_be_one_vector() const {
    return plan_.has_places && context_.routine == spec::Routine::dot &&
           context_.incx == context_.incy;
  }

  bool holds(const Rows& rows) {
    const auto count = static_cast<std::int64_t>(rows.kinds.size());
    ReplayResult replay;
    agrees(target_, rows.call, rows.data, count, order_, plan_.seed, replay);
    const auto seen = static_cast<std::size_t>(replay.vectors);
    result_.vectors += replay.vectors;
    for (std::size_t at = 0; at < seen; ++at)
      ++result_.counts.vectors[static_cast<std::size_t>(rows.kinds[at])];
    if (!replay.mismatch) return true;
    result_.wrong =
        ClassMismatch{*replay.mismatch, rows.kinds[seen - 1], rows.call, rows.row(seen - 1)};
    return false;
  }

  Target& target_;
  const Call context_;
  const spec::Order& order_;
  const ClassPlan plan_;
  FastRandom random_;
  int turn_ = 0;
  ClassResult result_;
};

// The vector again, after calls of other sizes and after itself.
bool varies(Target& target, const ClassMismatch& wrong, FastRandom& random) {
  std::set<std::string> seen{wrong.mismatch.got};
  for (int again = 0; again < 6; ++again) {
    Call other = wrong.call;
    other.k = 1 + random.below(2 * wrong.call.k);
    if (again % 3 != 2) run(target, other, random_vectors(other, 1, Data::ordinary, random), 1);
    seen.insert(hex(run(target, wrong.call, wrong.vector, 1)[0]));
  }
  return seen.size() > 1;
}

// How many of kHostile hostile vectors are wrong at this size.
int hostile_wrong(Target& target, const spec::Order& order, const Call& call, FastRandom& random) {
  const Vectors data = is_varied(call) && call.k <= spec::kMaxExplicitLeaves
                           ? telling_vectors(call, spec::expand(order, call.k), kHostile, random)
                           : random_vectors(call, kHostile, Data::wide, random);
  const std::vector<double> got = run(target, call, data, kHostile);
  int wrong = 0;
  for (int row = 0; row < kHostile; ++row)
    wrong +=
        same_bits(replayed(order, call, data, row), got[static_cast<std::size_t>(row)]) ? 0 : 1;
  return wrong;
}

std::string with_commas(std::int64_t value) {
  std::string text = std::to_string(value);
  for (auto at = std::ssize(text) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

}  // namespace

void add_counts(const ClassCounts& counts, std::map<std::string, std::int64_t>& named) {
  for (std::size_t kind = 0; kind < counts.vectors.size(); ++kind)
    if (counts.vectors[kind] > 0) named[name(static_cast<Data>(kind))] += counts.vectors[kind];
}

std::string far_not_checked(std::int64_t every_to, std::int64_t far_sizes) {
  return "of the sizes above " + with_commas(every_to) + ", " + with_commas(far_sizes) +
         " were tried, residues modulo 1,024 and multiples and powers of small numbers among them; "
         "one of the others that differs from its regime's rule would not have been found, nor "
         "would a few beside each other";
}

ClassResult check_classes(Target& target, const Call& context, const spec::Order& order,
                          const ClassPlan& plan) {
  return ClassCheck(target, context, order, plan).run();
}

RefusedAt explain(Target& target, const spec::Order& order, const ClassMismatch& wrong,
                  std::uint64_t seed) {
  FastRandom random(seed ^ 0x85ebca6bu);
  const std::int64_t n = wrong.call.k;
  const std::string evidence = text_of(wrong.mismatch);
  if (varies(target, wrong, random))
    return {"not_deterministic",
            evidence +
                "; the same vector then gave other bits: they depend on earlier calls, or "
                "on how many there were",
            n};
  if (wrong.call.place.shift) {
    Call apart = wrong.call;
    apart.place.shift.reset();
    if (same_bits(run(target, apart, wrong.vector, 1)[0], replayed(order, apart, wrong.vector, 0)))
      return {"address_dependent",
              evidence +
                  "; with x and y in memory of their own the same numbers give the order's "
                  "bits: the library asks whether x and y are one vector",
              n};
  }
  // Another order shows in most of these vectors; in one or two by chance what the class has.
  const bool may_be_chance = is_class(wrong.kind) && is_varied(wrong.call);
  if (hostile_wrong(target, order, wrong.call, random) >= (may_be_chance ? kHostile / 8 : 1))
    return {"unknown_rule",
            evidence + "; the rule of the sizes around n = " + std::to_string(n) +
                " does not hold for this one",
            n};
  return {"input_dependent",
          evidence + "; the order that gives the bits of hostile random data at n = " +
              std::to_string(n) + " does not give those of data of the class '" + name(wrong.kind) +
              "': the library looks at the values",
          n};
}

}  // namespace reprosum::reveal

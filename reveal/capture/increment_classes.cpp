#include "reveal/capture/increment_classes.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <set>

#include "reveal/check/drawn_increments.h"
#include "reveal/check/replay_check.h"
#include "reveal/matrix/class_order.h"
#include "reveal/region.h"

namespace reprosum::reveal {
namespace {

using spec::IncrementRange;
using spec::Increments;
using Pair = std::pair<std::int64_t, std::int64_t>;
using Bits = std::vector<std::uint64_t>;

// How much is looked at: far increments make short vectors long in memory.
enum class Depth { far, near, example };
// The bits of calls with such increments; those of a lesser depth are the first of a greater one's.
using Look = std::function<Bits(const Pair&, Depth)>;

constexpr std::int64_t kEveryTo = 520;   // each increment up to here is looked at
constexpr std::size_t kEveryPairTo = 4;  // each pair of the plainest ones is
constexpr std::int64_t kNearTo = 600;    // at more sizes
constexpr int kMostCuts = 6;             // of the increments of one kind
constexpr int kLooks = 20;  // of some tens of calls each, before a difference is believed

// Increments by their size, from the plainest of a range outwards.
std::int64_t size_of(std::int64_t increment) { return increment < 0 ? -increment : increment; }

std::vector<std::int64_t> samples(const IncrementRange& range, std::uint64_t seed) {
  std::set<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= kEveryTo; ++size) sizes.insert(size);
  for (std::int64_t size = 64; size <= 4096; size += 64) sizes.insert(size);
  for (std::int64_t size = 512; size <= 65536; size *= 2) sizes.insert({size - 1, size, size + 1});
  FastRandom random(seed);
  for (int k = 0; k < 40; ++k) sizes.insert(kEveryTo + random.below(kLargestIncrement - kEveryTo));
  sizes.insert({997, 7919, 10000, 100003});  // two primes, and a prime beyond
  std::vector<std::int64_t> out;
  const bool is_positive = range.plainest() > 0;
  for (const std::int64_t size : sizes)
    if (range.admits(is_positive ? size : -size)) out.push_back(is_positive ? size : -size);
  if (range.is_single()) out = {range.least};
  return out;
}

// From the plainest one up to, not including, `at`; and from there on.
std::pair<IncrementRange, IncrementRange> cut(const IncrementRange& range, std::int64_t at) {
  if (at > 0) return {{range.least, at - 1}, {at, range.greatest}};
  return {{at + 1, range.greatest}, {range.least, at}};
}

bool is_empty(const Increments& part) {
  return part.x.least > part.x.greatest || part.y.least > part.y.greatest;
}

class Sorter {
 public:
  Sorter(Look look, std::uint64_t seed) : look_(std::move(look)), seed_(seed) {}

  IncrementClasses sorted(const std::vector<Increments>& asked) {
    for (const Increments& kind : by_kind(asked)) {
      std::deque<Increments> parts{kind};
      for (int cuts = 0; !parts.empty();) {
        const Increments part = parts.front();
        parts.pop_front();
        const Pair example = part.plainest();
        try {
          base_ = look_(example, Depth::example);
        } catch (const TargetError& error) {
          if (error.reason != "declined") throw;
          continue;
        }
        const auto unlike = first_unlike(part);
        if (!unlike) {
          put(part, example);
        } else if (const auto pair = changing(example, *unlike)) {
          refuse_changing(part, *pair);
        } else if (cuts++ < kMostCuts) {
          const auto [near, far] = divided(part, *unlike);
          // Only what changes differs from itself.
          if (is_empty(near) || is_empty(far)) {
            refuse_changing(part, example);
            continue;
          }
          parts.push_front(far);
          parts.push_front(near);
        } else {
          put({example.first, example.second}, example);
          refuse(part, *unlike);
        }
      }
    }
    return std::move(found_);
  }

 private:
  static Depth depth_of(const Pair& pair) {
    return size_of(pair.first) <= kNearTo && size_of(pair.second) <= kNearTo ? Depth::near
                                                                             : Depth::far;
  }
  bool is_like(const Pair& pair) {
    const Bits bits = look_(pair, depth_of(pair));
    return std::equal(bits.begin(), bits.end(), base_.begin());
  }

  // Which of two pairs gives other bits when it is looked at again and again.
  std::optional<Pair> changing(const Pair& example, const Pair& unlike) {
    for (const Pair& pair : {example, unlike}) {
      const Depth depth = depth_of(pair);
      const Bits first = look_(pair, depth);
      for (int turn = 1; turn < kLooks; ++turn)
        if (look_(pair, depth) != first) return pair;
    }
    return std::nullopt;
  }

  // A pair of the part that gives other bits than its example. x and y vary together, and some
  // pairs are of increments that have to do with one another.
  std::optional<Pair> first_unlike(const Increments& part) {
    if (part.x.is_single() && part.y.is_single()) return std::nullopt;
    const auto of_x = samples(part.x, seed_), of_y = samples(part.y, seed_);
    for (std::size_t k = 0; k < kEveryPairTo * kEveryPairTo; ++k) {
      const std::size_t at_x = k / kEveryPairTo, at_y = k % kEveryPairTo;
      if (at_x >= of_x.size() || at_y >= of_y.size()) continue;
      if (!is_like({of_x[at_x], of_y[at_y]})) return Pair{of_x[at_x], of_y[at_y]};
    }
    const std::size_t count = std::max(of_x.size(), of_y.size());
    FastRandom random(seed_ + 1);
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t x = of_x[k % of_x.size()];
      std::int64_t y = of_y[of_y.size() == 1 ? 0 : k % of_y.size()];
      if (of_x.size() > 1 && of_y.size() > 1 && k % 3 != 0) {
        y = of_y[static_cast<std::size_t>(random.below(std::ssize(of_y)))];
        const std::int64_t related = related_increment(size_of(x), random);
        const std::int64_t signed_one = part.y.plainest() < 0 ? -related : related;
        if (k % 3 == 1 && part.y.admits(signed_one)) y = signed_one;
      }
      if (!is_like({x, y})) return Pair{x, y};
    }
    return std::nullopt;
  }

  // The plainest of the values at which `is_unlike` holds, from a known one inwards.
  template <class IsUnlike>
  std::optional<std::int64_t> border(const std::vector<std::int64_t>& values, std::int64_t known,
                                     const IsUnlike& is_unlike) {
    std::int64_t like = values.front();
    for (const std::int64_t value : values) {
      if (size_of(value) > size_of(known)) break;
      if (!is_unlike(value)) {
        like = value;
        continue;
      }
      std::int64_t unlike = value;
      while (size_of(unlike - like) > 1) {
        const std::int64_t middle = like + (unlike - like) / 2;
        (is_unlike(middle) ? unlike : like) = middle;
      }
      return unlike;
    }
    return std::nullopt;
  }

  // Cut where x alone, or y alone, begins to differ, or else at the pair.
  std::pair<Increments, Increments> divided(const Increments& part, const Pair& unlike) {
    const Pair example = part.plainest();
    auto at_x = border(samples(part.x, seed_), unlike.first, [&](std::int64_t x) {
      return !is_like({x, example.second});
    });
    if (!at_x) {
      const auto at_y = border(samples(part.y, seed_), unlike.second, [&](std::int64_t y) {
        return !is_like({example.first, y});
      });
      if (at_y) return cut_y(part, *at_y);
      if (unlike.first == example.first) return cut_y(part, unlike.second);
      at_x = unlike.first;
    }
    const auto [near, far] = cut(part.x, *at_x);
    return {{near, part.y}, {far, part.y}};
  }
  static std::pair<Increments, Increments> cut_y(const Increments& part, std::int64_t at) {
    const auto [near, far] = cut(part.y, at);
    return {{part.x, near}, {part.x, far}};
  }

  void put(const Increments& part, const Pair& example) {
    for (std::size_t k = 0; k < found_.classes.size(); ++k)
      if (bits_[k] == base_) {
        found_.classes[k].increments.push_back(part);
        return;
      }
    found_.classes.push_back({{part}, example});
    bits_.push_back(base_);
  }

  void refuse(const Increments& part, const Pair& unlike) {
    found_.refused.push_back({{part},
                              "unknown_rule",
                              "increments " + text_of(unlike) + " give other bits than " +
                                  text_of(part.plainest()) +
                                  ", and no few intervals tell such increments apart"});
  }
  void refuse_changing(const Increments& part, const Pair& pair) {
    for (RefusedIncrements& refused : found_.refused)
      if (refused.reason == "not_deterministic") return refused.increments.push_back(part);
    found_.refused.push_back({{part},
                              "not_deterministic",
                              "with increments " + text_of(pair) +
                                  " the same calls with the same numbers gave other bits when "
                                  "they were repeated"});
  }
  static std::string text_of(const Pair& pair) {
    return std::to_string(pair.first) + " and " + std::to_string(pair.second);
  }

  const Look look_;
  const std::uint64_t seed_;
  Bits base_;  // of the example of the part at hand
  IncrementClasses found_;
  std::vector<Bits> bits_;  // of the examples of the classes
};

// What was asked for first is a class of its own: it is what others are compared with.
IncrementClasses with_reference(IncrementClasses found, const std::vector<Increments>& asked) {
  const Pair first = asked.front().plainest();
  const Increments reference{first.first, first.second};
  for (std::size_t k = 0; k < found.classes.size(); ++k) {
    auto& parts = found.classes[k].increments;
    const auto own = std::find(parts.begin(), parts.end(), reference);
    if (own == parts.end()) continue;
    parts.erase(own);
    if (parts.empty()) {
      std::rotate(found.classes.begin(), found.classes.begin() + static_cast<std::ptrdiff_t>(k),
                  found.classes.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      found.classes.front() = {{reference}, first};
      return found;
    }
    found.classes[k].example = parts.front().plainest();
    found.classes.insert(found.classes.begin(), {{reference}, first});
    return found;
  }
  return found;
}

// Bits of random data at sizes below and above the usual block lengths.
Look look_at_vectors(Target& target, const Call& context, std::uint64_t seed) {
  struct Sample {
    Call call;
    Vectors data;
    std::int64_t rows = 0;
    Depth depth = Depth::far;
  };
  std::vector<Sample> all;
  FastRandom random(seed);
  const auto add = [&](std::int64_t n, std::int64_t rows, Depth depth, int align) {
    Sample sample{context, {}, rows, depth};
    sample.call.incx = sample.call.incy = 1;  // the data are those of any increments
    sample.call.k = n;
    sample.call.align_a = align;
    sample.call.align_b = align * 3 % 64;
    sample.data = random_vectors(sample.call, rows, Data::wide, random);
    all.push_back(std::move(sample));
  };
  for (const std::int64_t n : {5, 17, 40}) add(n, n < 20 ? 12 : 6, Depth::far, 0);
  add(129, 4, Depth::near, 0);
  add(66, 4, Depth::near, 8);
  for (const std::int64_t n : {700, 1533}) add(n, 3, Depth::example, 0);
  add(20011, 2, Depth::example, 0);
  add(67, 6, Depth::example, 8);
  add(131, 6, Depth::example, 24);
  return [&target, all](const Pair& pair, Depth depth) {
    Bits bits;
    for (const Sample& sample : all) {
      if (sample.depth > depth) continue;
      Call call = sample.call;
      call.incx = pair.first;
      if (call.routine != spec::Routine::sum) call.incy = pair.second;
      const auto put = [&] {
        for (const double value : run(target, call, sample.data, sample.rows))
          bits.push_back(std::bit_cast<std::uint64_t>(value));
      };
      try {
        put();
      } catch (const TargetError& error) {
        // A target may choose addresses itself.
        if (error.reason != "declined" || call.align_a == 0) throw;
        call.align_a = call.align_b = 0;
        put();
      }
    }
    // Contexts also differ by which vectors are one number over and over.
    if (depth == Depth::example)
      bits.push_back((pair.first == 0 ? 1 : 0) + (pair.second == 0 ? 2 : 0));
    return bits;
  };
}

Look look_at_outputs(Target& target, const Call& context, std::uint64_t seed) {
  struct Shape {
    std::int64_t m, k;
    Depth depth;
  };
  const std::vector<Shape> shapes{
      {5, 9, Depth::far},       {18, 7, Depth::far},        {37, 41, Depth::far},
      {70, 67, Depth::near},    {23, 130, Depth::near},     {3, 523, Depth::example},
      {407, 6, Depth::example}, {130, 141, Depth::example}, {1, 37, Depth::example}};
  return [&target, context, seed, shapes](const Pair& pair, Depth depth) {
    Bits bits;
    Call call = context;
    std::tie(call.incx, call.incy) = pair;
    const auto source = make_signature_source(target, call, seed);
    for (const Shape& shape : shapes) {
      if (shape.depth > depth) continue;
      const auto more = source->signatures({shape.m, 1, shape.k});
      bits.insert(bits.end(), more.begin(), more.end());
    }
    return bits;
  };
}

}  // namespace

IncrementClasses increment_classes(Target& target, const Call& context,
                                   const std::vector<Increments>& asked, std::uint64_t seed) {
  const auto look = spec::has_matrices(context.routine) ? look_at_outputs : look_at_vectors;
  return with_reference(Sorter(look(target, context, seed), seed).sorted(asked), asked);
}

std::vector<IncrementClass> not_sorted(const std::vector<Increments>& asked) {
  std::vector<IncrementClass> all;
  for (const Increments& part : asked) all.push_back({{part}, part.plainest()});
  return all;
}

std::vector<IncrementClass> parted(const IncrementClass& whole) {
  if (whole.increments.size() > 1) return not_sorted(whole.increments);  // of one kind each
  const Increments& part = whole.increments.front();
  if (part.x.is_single() && part.y.is_single()) return {};
  return {{{{whole.example.first, whole.example.second}}, whole.example}};
}

std::string others_of(const IncrementClass& increments, bool has_y) {
  const auto [x, y] = increments.example;
  if (increments.increments == std::vector<Increments>{{x, y}}) return "";
  return " and others of " + spec::text_of(spec::merged(increments.increments), has_y);
}

std::vector<Pair> example_pairs(const std::vector<Increments>& asked) {
  std::vector<Pair> pairs;
  for (const Increments& part : by_kind(asked)) pairs.push_back(part.plainest());
  return pairs;
}

}  // namespace reprosum::reveal

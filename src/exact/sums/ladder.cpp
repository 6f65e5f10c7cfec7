#include "src/exact/sums/ladder.h"

#include <algorithm>
#include <new>

#include "src/exact/machine/room.h"

namespace reprosum::exact {
namespace {

// An e with |value| < 2^e, the least except for subnormal numbers.
int exponent_above(double value) {
  return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1022;
}

// Terms that the first exponent is guessed from.
constexpr std::int64_t kLookedAt = 32;

// Blocks until a cheaper level is tried again, and how many that becomes where it keeps failing.
constexpr int kPatience = 16, kMostPatience = 1024;

// What in_digits_ and in_buckets_ are after emptying in between: they have been used.
constexpr std::int64_t kUsed = 1;

}  // namespace

// run(level, exponent, out) runs a kernel and says whether its results were free of underflow;
// add() adds the block's terms to buckets or digits.
template <class Run, class Add>
void Ladder::add_block(int guess, Run&& run, Add&& add) {
  PathCounts& counts = path_counts();
  if (!has_exponent_) {
    exponent_ = guess + 1;
    has_exponent_ = true;
  }
  const bool retried = level_ != kNarrow && --until_narrow_ <= 0;
  if (retried) --level_, until_narrow_ = kPatience;
  for (int level = level_; level != kDigits;) {
    exponent_ = std::clamp(exponent_, kLowestExponent, kHighestExponent);
    Slices out;
    const bool normal = run(level, exponent_, out);
    const int needed = exponent_above(out.largest);
    if (normal && out.complete && needed <= exponent_) {
      for (int k = 0; k < out.count; ++k) total_.add(out.slice[k]);
      ++(level == kNarrow ? counts.narrow_blocks : counts.wide_blocks);
      if (level != level_) level_ = level, until_narrow_ = kPatience;
      return;
    }
    ++counts.repeated;
    const bool too_large = needed > kHighestExponent;  // infinities and NaN as well
    if (!normal || too_large) break;
    const int best = std::max(needed, kLowestExponent);
    if (best > exponent_ || best + 4 < exponent_) {
      exponent_ = best + (best > exponent_ ? 1 : 0);  // the same level with a window that fits
    } else {
      exponent_ = best;
      ++level;
    }
  }
  if (level_ != kDigits) {
    patience_ = retried ? std::min(2 * patience_, kMostPatience) : kPatience;
    level_ = kDigits, until_narrow_ = patience_;
  }
  add();
}

// Emptying buckets costs as much as a block of digits: the first block is left to these.
Buckets* Ladder::buckets() {
  if (in_digits_ == 0 && in_buckets_ == 0) return nullptr;
  if (buckets_ == nullptr) buckets_.reset(new (std::nothrow) Buckets);
  return buckets_.get();
}

void Ladder::add_to_buckets(Buckets& buckets, std::int64_t n, const double* terms) {
  buckets.add(n, terms);
  in_buckets_ += n;
  if (in_buckets_ + kBlock > Buckets::kMostTerms) buckets.flush(total_), in_buckets_ = kUsed;
}

template <class Add>
void Ladder::add_to_digits(Add&& add) {
  add(digits_);
  ++path_counts().digit_blocks;
  in_digits_ += kBlock;
  if (in_digits_ + kBlock > CarrySave<double>::kMostTerms)
    digits_.flush(total_), in_digits_ = kUsed;
}

void Ladder::add_values(std::int64_t n, const double* x) {
  int guess = kLowestExponent;
  if (!has_exponent_) {
    for (std::int64_t i = 0; i < std::min(n, kLookedAt); ++i)
      guess = std::max(guess, exponent_above(x[i]));
  }
  add_block(
      guess,
      [&](int level, int exponent, Slices& out) {
        kernels_.sum[level](x, n, exponent, out);
        return true;  // sums of doubles are exact below the normal numbers
      },
      [&] {
        if (Buckets* const buckets = this->buckets()) {
          ++path_counts().bucket_blocks;
          return add_to_buckets(*buckets, n, x);
        }
        add_to_digits([&](CarrySave<double>& digits) {
          for (std::int64_t i = 0; i < n; ++i) digits.add(x[i]);
        });
      });
}

void Ladder::add_products(std::int64_t n, const double* x, const double* y) {
  int guess = kLowestExponent;
  if (!has_exponent_) {
    for (std::int64_t i = 0; i < std::min(n, kLookedAt); ++i)
      guess = std::max(guess, exponent_above(x[i]) + exponent_above(y[i]));
  }
  add_block(
      guess,
      [&](int level, int exponent, Slices& out) {
        kernels_.dot[level](x, y, n, exponent, out);
        return !environment_.underflowed();
      },
      [&] {
        if (Buckets* const buckets = this->buckets()) {
          const bool added = with_room<double, 2 * kBlock>([&](double* products) {
            // Without underflow a product is the sum of the two (slices.h).
            double* const errors = products + kBlock;
            kernels_.split_products(x, y, n, products, errors);
            if (environment_.underflowed()) return false;
            ++path_counts().bucket_blocks;
            add_to_buckets(*buckets, n, products);
            add_to_buckets(*buckets, n, errors);
            return true;
          });
          if (added) return;
        }
        add_to_digits([&](CarrySave<double>& digits) {
          for (std::int64_t i = 0; i < n; ++i) digits.add_product(x[i], y[i]);
        });
      });
}

const Accumulator<double>& Ladder::total() {
  if (in_digits_ != 0) digits_.flush(total_), in_digits_ = 0;
  if (in_buckets_ != 0) buckets_->flush(total_), in_buckets_ = 0;
  return total_;
}

}  // namespace reprosum::exact

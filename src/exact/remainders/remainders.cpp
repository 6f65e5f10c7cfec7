#include "src/exact/remainders/remainders.h"

#include <atomic>
#include <cmath>
#include <vector>

#include "src/base/fork_gate.h"

namespace reprosum::exact {
namespace {

constexpr std::int32_t kModuli[kMostModuli] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227,
                                               223, 217, 211, 199, 197, 193, 191, 181, 179, 173};

constexpr bool pairwise_coprime() {
  for (int i = 0; i < kMostModuli; ++i) {
    for (int j = 0; j < i; ++j) {
      int a = kModuli[i], b = kModuli[j];
      while (b != 0) {
        const int rest = a % b;
        a = b;
        b = rest;
      }
      if (a != 1) return false;
    }
  }
  return true;
}
static_assert(pairwise_coprime());

std::int32_t modulo(std::int64_t v, std::int32_t p) {
  return static_cast<std::int32_t>((v % p + p) % p);
}

// 2^power mod p, between -p / 2 and p / 2.
std::int32_t power_of_two(int power, std::int32_t p) {
  std::int64_t v = 1;
  for (int i = 0; i < power; ++i) v = 2 * v % p;
  return static_cast<std::int32_t>(2 * v > p ? v - p : v);
}

// inverse / p in three parts, each the rounded difference between it and the parts before.
void cut_fraction(std::int64_t inverse, std::int64_t p, double* fraction) {
  std::int64_t rest = 2 * inverse > p ? inverse - p : inverse;
  for (int h = 0; h < 3; ++h) {
    const std::int64_t shifted = rest << 40;  // |rest| <= p / 2 < 2^8
    std::int64_t digit = shifted / p;
    rest = shifted % p;
    if (2 * rest > p) ++digit, rest -= p;
    if (2 * rest < -p) --digit, rest += p;
    fraction[h] = std::ldexp(static_cast<double>(digit), -40 * (h + 1));
  }
}

// The product of the first `count` moduli but number `without`, times `factor`, in words of `bits`
// bits.
std::vector<std::uint64_t> product_of(int count, int without, std::uint64_t factor, int bits) {
  std::vector<std::uint64_t> words(6, 0);
  words[0] = factor;
  for (int i = 0; i < count; ++i) {
    if (i == without) continue;
    std::uint64_t carry = 0;
    for (std::uint64_t& word : words) {
      const std::uint64_t v = word * static_cast<std::uint64_t>(kModuli[i]) + carry;
      word = v & ((std::uint64_t{1} << bits) - 1);
      carry = v >> bits;
    }
  }
  return words;
}

Modulus make_modulus(int count, int t) {
  const std::int32_t p = kModuli[t];
  Modulus m{};
  m.p = p;
  m.size = static_cast<float>(p);
  m.inverse = 1.0f / m.size;
  constexpr int kPositions[kWords] = {48, 24, 0};
  std::int64_t start = 0;
  for (int h = 0; h < kWords; ++h) {
    std::uint32_t bytes = 0;
    for (int b = 3; b >= 0; --b) {
      const std::int32_t weight = power_of_two(kPositions[h] + 8 * b, p);
      // 128 is -128 modulo 256, the only modulus that has it.
      bytes = bytes << 8 | static_cast<std::uint8_t>(weight);
    }
    m.weights[h] = static_cast<std::int32_t>(bytes);
    start -= power_of_two(kPositions[h] + 31, p);
  }
  m.start = modulo(start, p);
  m.start_of_rows = modulo(start - 128, p);
  m.halves = power_of_two(16, p) * 65536 + 1;
  std::int64_t others = 1;
  for (int i = 0; i < count; ++i)
    if (i != t) others = others * kModuli[i] % p;
  std::int64_t inverse = 1;
  while (others * inverse % p != 1) ++inverse;
  cut_fraction(inverse, p, m.fraction);
  const bool negative = 2 * inverse > p;  // as there
  const std::vector<std::uint64_t> limbs =
      product_of(count, t, static_cast<std::uint64_t>(negative ? p - inverse : inverse), kLimbBits);
  for (int h = 0; h < kLimbs; ++h) {
    const auto limb = static_cast<std::int64_t>(limbs[static_cast<std::size_t>(h)]);
    m.weight[h] = negative ? -limb : limb;
  }
  return m;
}

Remainders make(int count) {
  Remainders r{};
  r.count = count;
  const std::vector<std::uint64_t> limbs = product_of(count, -1, 1, kLimbBits);
  for (int h = 0; h < kLimbs; ++h)
    r.product[h] = static_cast<std::int64_t>(limbs[static_cast<std::size_t>(h)]);
  const std::vector<std::uint64_t> words = product_of(count, -1, 1, 32);
  std::size_t top = words.size() - 1;
  while (words[top] == 0) --top;
  // 128 bits from the top, then the two halves of 106 of them.
  unsigned __int128 bits = 0;
  for (std::size_t i = 0; i < 4; ++i) bits = bits << 32 | (i <= top ? words[top - i] : 0);
  int exponent = static_cast<int>(32 * top) - 96;
  std::uint64_t below = top >= 4 ? words[top - 4] : 0;
  while ((bits >> 127) == 0) {
    below <<= 1;
    bits = bits << 1 | (below >> 32 & 1);
    --exponent;
  }
  const auto first = static_cast<std::uint64_t>(bits >> 75);  // 53 bits
  const auto second = static_cast<std::uint64_t>(bits >> 22) & ((std::uint64_t{1} << 53) - 1);
  r.high = std::ldexp(static_cast<double>(first), -52);
  r.low = std::ldexp(static_cast<double>(second), -105);
  r.exponent = exponent + 127;
  // limit^2 <= P / 2 * (1 - 2^-9); the roundings are below 2^-50.
  r.limit = std::sqrt(std::ldexp(r.high, r.exponent - 1) * (1 - 0x1p-9)) * (1 - 0x1p-40);
  for (int t = 0; t < count; ++t) r.moduli[static_cast<std::size_t>(t)] = make_modulus(count, t);
  return r;
}

}  // namespace

int Remainders::scale_exponent(double norm, std::int64_t k) const {
  const double room = limit - std::sqrt(static_cast<double>(k)) * (1 + 0x1p-50);
  return std::ilogb(room / norm * (1 - 0x1p-50));
}

void Remainders::integer(const std::int8_t* reduced, std::int64_t stride,
                         std::int64_t* limbs) const {
  double sum = 0;
  for (int h = 0; h < kLimbs; ++h) limbs[h] = 0;
  for (int t = 0; t < count; ++t) {
    const Modulus& m = moduli[static_cast<std::size_t>(t)];
    const std::int64_t r = reduced[t * stride];
    sum += static_cast<double>(r) * m.fraction[0];
    for (int h = 0; h < kLimbs; ++h) limbs[h] += r * m.weight[h];
  }
  const auto whole = static_cast<std::int64_t>(std::nearbyint(sum));
  for (int h = 0; h < kLimbs; ++h) limbs[h] -= whole * product[h];
}

const Remainders& remainders(int count) {
  static std::atomic<const std::vector<Remainders>*> kept{nullptr};
  const auto& all = base::made_once(kept, [] {
    std::vector<Remainders> made(2);
    for (int n = 2; n <= kMostModuli; ++n) made.push_back(make(n));
    return made;
  });
  return all[static_cast<std::size_t>(count)];
}

const Remainders& remainders_for(int bits, std::int64_t k) {
  const double wanted = std::ldexp(std::sqrt(static_cast<double>(k)), bits);
  int count = 2;
  while (count < kMostModuli && remainders(count).limit < wanted) ++count;
  return remainders(count);
}

}  // namespace reprosum::exact

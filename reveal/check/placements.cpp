#include "reveal/check/placements.h"

#include <array>

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kPage = 4096;

constexpr std::array<int Call::*, 3> kAligns{&Call::align_a, &Call::align_b, &Call::align_c};

std::vector<std::int64_t> moved(int operands, int operand, std::int64_t bytes) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(operands), 0);
  all[static_cast<std::size_t>(operand)] = bytes;
  return all;
}

std::int64_t random_lines(FastRandom& random) {
  return kLineBytes * random.below(kPlaceBytes / kLineBytes);
}

}  // namespace

int operands_of(spec::Routine routine) {
  return routine == spec::Routine::sum ? 1 : routine == spec::Routine::dot ? 2 : 3;
}

std::string operand_name(spec::Routine routine, int operand) {
  const char* const names = routine == spec::Routine::gemm   ? "ABC"
                            : routine == spec::Routine::gemv ? "Axy"
                                                             : "xy";
  return {names[operand]};
}

Call placed(const Call& call, const std::vector<std::int64_t>& bytes) {
  Call other = call;
  other.place.modulus = kPlaceBytes;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    int& align = other.*kAligns[k];
    align = static_cast<int>((align + bytes[k]) % kPlaceBytes);
  }
  return other;
}

std::vector<Placement> placements(const Call& call, int random, FastRandom& source) {
  const int operands = operands_of(call.routine);
  const auto name = [&](int operand) { return operand_name(call.routine, operand); };
  std::vector<Placement> all;
  for (std::int64_t bit = 6, bytes = kLineBytes; bytes < kPlaceBytes; ++bit, bytes *= 2) {
    const std::string of = "bit " + std::to_string(bit) + " of the address of ";
    for (int k = 0; k < operands; ++k)
      all.push_back({of + name(k), placed(call, moved(operands, k, bytes))});
    const std::vector<std::int64_t> together(static_cast<std::size_t>(operands), bytes);
    if (operands > 1) all.push_back({of + "all operands", placed(call, together)});
  }
  // The others are half a page away from it, so that these two alone are alike.
  for (int k = 0; k < operands; ++k)
    for (int j = 0; j < k; ++j)
      for (const std::int64_t beside : {-kLineBytes, 0, kLineBytes}) {
        std::vector<std::int64_t> bytes(static_cast<std::size_t>(operands), kPage / 2);
        bytes[static_cast<std::size_t>(k)] = kPage + kLineBytes + beside;
        bytes[static_cast<std::size_t>(j)] = kLineBytes;
        all.push_back({"the distance of " + name(j) + " and " + name(k) + " modulo 4096",
                       placed(call, bytes)});
      }
  if (operands > 1) {
    Call below = placed(call, moved(operands, 0, 0));
    below.place.is_reversed = true;
    const std::string first = name(0), last = name(operands - 1);
    all.push_back({last + " below " + first, below});
  }
  for (int k = 0; k < random; ++k)
    all.push_back({"where the operands lie", anywhere(call, source)});
  return all;
}

Call anywhere(const Call& call, FastRandom& random) {
  const int operands = operands_of(call.routine);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(operands));
  for (std::int64_t& one : bytes) one = random_lines(random);
  // Addresses that are alike modulo a page are rare otherwise.
  if (operands > 1 && random.below(4) == 0)
    bytes.back() =
        bytes.front() + kPage * random.below(2) + kLineBytes * (random.below(3) - 1) + kPlaceBytes;
  Call other = placed(call, bytes);
  other.place.is_reversed = operands > 1 && random.below(2) == 0;
  return other;
}

}  // namespace reprosum::reveal

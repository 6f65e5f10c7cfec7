#include "kernels/llvm/lanes.h"

#include <algorithm>

namespace reprosum::kernels {
namespace {

using llvm::Value;
using Picks = std::vector<std::pair<Value*, int>>;

int width_of(const Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}

// The lanes that the picks take from one source, where they belong; others are of no matter.
Value* placed(llvm::IRBuilder<>& b, const Picks& picks, Value* source) {
  const auto width = static_cast<int>(picks.size());
  if (width_of(source) == 1) {
    Value* lanes = llvm::PoisonValue::get(
        llvm::FixedVectorType::get(source->getType(), static_cast<unsigned>(width)));
    for (std::size_t k = 0; k < picks.size(); ++k)
      if (picks[k].first == source) lanes = b.CreateInsertElement(lanes, source, k);
    return lanes;
  }
  std::vector<int> mask;
  bool identity = width_of(source) == width;
  for (int k = 0; k < width; ++k) {
    const auto& [from, lane] = picks[static_cast<std::size_t>(k)];
    mask.push_back(from == source ? lane : -1);
    identity = identity && mask.back() == k;
  }
  return identity ? source : b.CreateShuffleVector(source, mask);
}

}  // namespace

Value* load_lanes(llvm::IRBuilder<>& b, Addresses& addresses, const program::Access& access,
                  llvm::Type* element, llvm::Align align) {
  const std::vector<std::int64_t>& offsets = access.offsets;
  const auto width = static_cast<std::int64_t>(offsets.size());
  const auto type = [&](std::int64_t lanes) {
    return llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
  };
  if (width == 1) return b.CreateAlignedLoad(element, addresses.of(access, offsets[0]), align);
  const std::int64_t span = offsets.back() - offsets.front() + 1;
  if (addresses.are_neighbours(access) && span <= 4 * width) {
    // Everything between two summands of a row is the row's, so the whole span may be read.
    Value* const all = b.CreateAlignedLoad(type(span), addresses.of(access, offsets[0]), align);
    if (span == width) return all;
    std::vector<int> mask;
    for (const std::int64_t offset : offsets) mask.push_back(static_cast<int>(offset - offsets[0]));
    return b.CreateShuffleVector(all, mask);
  }
  Value* result = llvm::PoisonValue::get(type(width));
  for (std::size_t k = 0; k < offsets.size(); ++k)
    result = b.CreateInsertElement(
        result, b.CreateAlignedLoad(element, addresses.of(access, offsets[k]), align), k);
  return result;
}

// One source after the other: its lanes brought to where they belong, then blended in.
Value* gathered(llvm::IRBuilder<>& b, const Picks& picks) {
  const auto width = static_cast<int>(picks.size());
  if (width == 1) {
    const auto& [source, lane] = picks[0];
    return width_of(source) == 1 ? source
                                 : b.CreateExtractElement(source, static_cast<std::uint64_t>(lane));
  }
  Value* result = nullptr;
  std::vector<Value*> done;
  for (const auto& [source, ignored] : picks) {
    if (std::find(done.begin(), done.end(), source) != done.end()) continue;
    done.push_back(source);
    Value* const lanes = placed(b, picks, source);
    if (result == nullptr) {
      result = lanes;
      continue;
    }
    std::vector<int> blend;
    for (int k = 0; k < width; ++k) {
      Value* const from = picks[static_cast<std::size_t>(k)].first;
      const bool known = std::find(done.begin(), done.end(), from) != done.end();
      blend.push_back(from == source ? width + k : known ? k : -1);
    }
    result = b.CreateShuffleVector(result, lanes, blend);
  }
  return result;
}

}  // namespace reprosum::kernels

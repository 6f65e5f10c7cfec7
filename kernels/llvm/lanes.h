// Lanes of a vector: read from places, and picked from other vectors.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <utility>
#include <vector>

#include "kernels/llvm/addresses.h"

namespace reprosum::kernels {

// The lanes of an access at several summands of one output.
llvm::Value* load_lanes(llvm::IRBuilder<>& b, Addresses& addresses, const program::Access& access,
                        llvm::Type* element, llvm::Align align);

// Lane k is lane picks[k].second of picks[k].first, which may be a scalar. All have one element.
llvm::Value* gathered(llvm::IRBuilder<>& b, const std::vector<std::pair<llvm::Value*, int>>& picks);

}  // namespace reprosum::kernels

// The arithmetic of splits and parts as C functions: spec/rules.cpp says what they are.
#pragma once

#include <string>

#include "spec/order.h"

namespace reprosum::kernels::text {

// int64_t NAME(int64_t n, int64_t m): where n summands are cut.
std::string cut_function(spec::Split::Kind kind);
// int64_t NAME(int64_t n, int64_t at, int64_t k, int64_t count, int64_t m, int64_t u): of piece k,
// which begins at `at`.
std::string length_function(spec::Parts::Kind kind);

}  // namespace reprosum::kernels::text

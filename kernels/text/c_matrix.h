// gemv and gemm as C11: one output after the other, each in the order of its region.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::kernels::text {

// int PREFIX_sgemm(int threads, int trans_a, int trans_b, int64_t m, ...): as BLAS's arguments,
// column-major, transposes as 0 and 1.
std::string c_matrix_prototype(const std::string& prefix, spec::Routine routine, spec::Type type);

// The source of one routine of one type, without what every source starts with; "" if the spec has
// no entry for it. `missing` gets a line for each entry with an order that cannot be printed.
std::string c_matrix(const spec::Spec& spec, const std::string& prefix, spec::Routine routine,
                     spec::Type type, std::vector<std::string>& missing, std::size_t& entries);

}  // namespace reprosum::kernels::text

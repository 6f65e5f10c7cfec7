// Entries of gemv and gemm as people and programs read them.
#pragma once

#include <string>

#include "spec/spec.h"
#include "src/cli/output.h"

namespace reprosum::cli {

// No covered shape has a greater m, n or k; {0, 0, 0} if none is covered.
spec::Shape3 largest(const spec::MatrixEntry& entry);
// The same as "2048 x 2048 x 2048"; "2048 x 2048", m and k, for gemv.
std::string largest_text(const spec::MatrixEntry& entry);
// "2 regimes, 4 orders"
std::string rules_text(const spec::MatrixEntry& entry);

Json to_json(const spec::MatrixCertificate& certificate);
// Everything but the rules themselves, which are counted.
Json to_json(const spec::Spec& spec, const spec::MatrixEntry& entry);

}  // namespace reprosum::cli

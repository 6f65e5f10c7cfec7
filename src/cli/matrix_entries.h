// Entries of gemv and gemm as people and programs read them.
#pragma once

#include <string>

#include "spec/spec.h"
#include "src/cli/output.h"

namespace reprosum::cli {

// What the entry asks of scalars, leading dimensions and data: "alpha = 1, finite data"; "" if all
// are covered. Entries of one routine may differ in nothing else.
std::string limits_text(const spec::MatrixEntry& entry);
std::string routine_name(const spec::MatrixEntry& entry);     // "sgemm NT"
std::string increments_text(const spec::MatrixEntry& entry);  // "1:1 2:1"; "" for gemm
std::string threads_text(const spec::MatrixEntry& entry);     // "1 2"
// "any", "y = 8 mod 16"
std::string addresses_text(const spec::MatrixEntry& entry);
// "threads 1 2, by columns and rows, y = 8 mod 16 bytes, finite data"
std::string context_text(const spec::MatrixEntry& entry);
// No covered shape has a greater m, n or k; {0, 0, 0} if none is covered.
spec::Shape3 largest(const spec::MatrixEntry& entry);
// The same as "2048 x 2048 x 2048"; "2048 x 2048", m and k, for gemv.
std::string largest_text(const spec::MatrixEntry& entry);
// "2 regimes, 4 orders"
std::string rules_text(const spec::MatrixEntry& entry);

Json to_json(const spec::MatrixGuard& guard);
Json to_json(const spec::MatrixCertificate& certificate);
// Everything but the rules themselves, which are counted.
Json to_json(const spec::Spec& spec, const spec::MatrixEntry& entry);

}  // namespace reprosum::cli

// Specs and their entries as people and programs read them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "spec/spec.h"
#include "spec/surface.h"
#include "src/report/wording.h"

namespace reprosum::report {

// Columns of tables.
// "1:1 2:1"; of sum "1 2", of gemm "".
std::string increments_text(const std::vector<spec::Increments>& increments, spec::Routine routine);
std::string threads_text(const spec::Guard& guard);  // "1 2"
std::string addresses_text(const spec::Guard& guard,
                           spec::Routine routine);  // "any", "y = 8 mod 16"
// What the guard asks of scalars, leading dimensions and data: "alpha = 1, finite data"; "" if all
// are covered. Entries of one routine may differ in nothing else.
std::string limits_text(const spec::Guard& guard, spec::Routine routine);

// "sdot incx=2 threads=1: not_deterministic" and, wrapped below it, why.
std::string refusal_text(const spec::Refusal& refusal);

std::string routine_name(const spec::Entry& entry);  // "sdot", "sgemm NT"
// No covered shape has a greater m, n or k; {0, 0, 0} if none is covered.
spec::Shape3 largest(const spec::Entry& entry);
// The same as "2048 x 2048 x 2048"; "2048 x 2048", m and k, for gemv; "n = 1,000" for sum and dot.
std::string largest_text(const spec::Entry& entry);
std::string sizes_text(const spec::Shape3& shape, spec::Routine routine);  // of gemv or gemm
// "m = 30, n = 20, k = 1,000"; "m = 30, k = 1,000"; "n = 1,000".
std::string shape_text(const spec::Shape3& shape, spec::Routine routine);
// The order of sum or dot in one line; for products "2 regimes, 4 orders".
std::string summary(const spec::Spec& spec, const spec::Entry& entry);

// "ascending 400, constant 400"; of Certificate::classes.
std::string classes_text(const std::map<std::string, std::int64_t>& classes);
Json to_json(const spec::Certificate& certificate);
Json to_json(const spec::Refusal& refusal);
// Everything about an entry but its rules, which are counted, and its orders, which are given by
// their hashes and in one line.
Json to_json(const spec::Spec& spec, const spec::Entry& entry);
Json provenance_json(const spec::Spec& spec);
std::string provenance(const spec::Spec& spec, const std::string& key);  // "" if absent
std::string origin(const spec::Spec& spec);  // "blas:libx.so.0 on a CPU"; "" if nothing says it

}  // namespace reprosum::report

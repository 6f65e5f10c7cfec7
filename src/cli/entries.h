// Specs and their entries as people and programs read them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "spec/spec.h"
#include "spec/surface.h"
#include "src/cli/output.h"

namespace reprosum::cli {

// Reads and checks a spec file ("-": stdin). Throws EnvironmentError or ParseError, both naming the
// file.
spec::Spec load_spec(const std::string& path, spec::Check check = spec::Check::all);

// Columns of tables.
std::string increments_text(const spec::Guard& guard,
                            spec::Routine routine);  // "1:1 2:1"; of sums "1 2"
std::string threads_text(const spec::Guard& guard);  // "1 2"
std::string addresses_text(const spec::Guard& guard,
                           spec::Routine routine);  // "any", "y = 8 mod 16"
// What the guard asks of scalars, leading dimensions and data: "alpha = 1, finite data"; "" if all
// are covered. Entries of one routine may differ in nothing else.
std::string limits_text(const spec::Guard& guard, spec::Routine routine);

// "sdot incx=2 threads=1: not_deterministic" and, wrapped below it, why.
std::string refusal_text(const spec::Refusal& refusal);

std::string routine_name(const spec::Entry& entry);        // "sdot"
std::string routine_name(const spec::MatrixEntry& entry);  // "sgemm NT"

// "ascending 400, constant 400"; of Certificate::classes.
std::string classes_text(const std::map<std::string, std::int64_t>& classes);
Json to_json(const spec::Certificate& certificate);
Json to_json(const spec::Refusal& refusal);
// Everything about an entry but the order itself, which is given by its hash and in one line.
Json to_json(const spec::Spec& spec, const spec::Entry& entry);
Json provenance_json(const spec::Spec& spec);
std::string provenance(const spec::Spec& spec, const std::string& key);  // "" if absent

}  // namespace reprosum::cli

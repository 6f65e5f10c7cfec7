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

std::string increments_text(const spec::Entry& entry);  // "1:1 2:1"; for sums "1 2"
std::string threads_text(const spec::Entry& entry);     // "1 2"
std::string alignment_text(const spec::Guard& guard);   // "any" or "mod 16: 0:0 8:8"
// "inc 1:1 2:1, threads 1 2, any alignment"
std::string context_text(const spec::Entry& entry);

// "sdot incx=2 threads=1: not_deterministic" and, wrapped below it, why.
std::string refusal_text(const spec::Refusal& refusal);

std::string routine_name(const spec::Entry& entry);  // "sdot"

Json to_json(const spec::Guard& guard);
// "ascending 400, constant 400"; of Certificate::classes.
std::string classes_text(const std::map<std::string, std::int64_t>& classes);
Json to_json(const spec::Certificate& certificate);
Json to_json(const spec::Refusal& refusal);
// Everything about an entry but the order itself, which is given by its hash and in one line.
Json to_json(const spec::Spec& spec, const spec::Entry& entry);
Json provenance_json(const spec::Spec& spec);
std::string provenance(const spec::Spec& spec, const std::string& key);  // "" if absent

}  // namespace reprosum::cli

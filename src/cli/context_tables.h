// Tables of what a spec covers: a row for each group of contexts.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::cli {

// "" if there are none.
std::string entries_table(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries);
std::string matrices_table(const std::vector<const spec::MatrixEntry*>& entries);

template <class Entry>
std::vector<const Entry*> all_of(const std::vector<Entry>& entries) {
  std::vector<const Entry*> out;
  for (const Entry& entry : entries) out.push_back(&entry);
  return out;
}

}  // namespace reprosum::cli

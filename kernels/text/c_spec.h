// A spec as a C11 library: source that can be read, vendored and compiled without ours.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::kernels::text {

struct CFile {
  std::string name, content;
};

struct CText {
  std::vector<CFile> files;          // PREFIX.h, PREFIX_sdot.c, ..., CMakeLists.txt
  std::vector<std::string> missing;  // "sdot, incx 2..: why": what the text refuses to do
  std::size_t entries = 0;           // of the spec, those that are missing included
};

// prefix: of every file and public name; a C identifier (UserError). Orders that cannot be printed
// (c_order.h) are refused by name.
CText c_text(const spec::Spec& spec, const std::string& prefix);

}  // namespace reprosum::kernels::text

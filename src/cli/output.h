// Where data goes.
#pragma once

#include <string>
#include <string_view>

#include "spec/spec.h"
#include "spec/surface.h"
#include "src/report/wording.h"

namespace reprosum::cli {

// The verbs print what src/report words.
using namespace report;

// To stdout (path empty or "-") or to a file, which is replaced whole or left as it was. Throws
// EnvironmentError.
void write_output(const std::string& path, std::string_view text);
// What is printed is made harmless to terminals (base/printable.h); what goes to a file is not.
void print(std::string_view text);
// The same at once, for the lines of a run that takes minutes: whoever reads a pipe waits for them.
void print_now(std::string_view text);
void print_json(const Json& json);
// A line for the person at the terminal: stderr, never data.
void remark(std::string_view text);

// "-" is stdin. Else a regular file of at most 256 MiB; anything that could keep us waiting (a
// FIFO, a device) is refused at once. Throws EnvironmentError.
std::string read_file(const std::string& path);
// Reads and checks a spec file ("-": stdin). Throws EnvironmentError or ParseError, both naming the
// file.
spec::Spec load_spec(const std::string& path, spec::Check check = spec::Check::all);

}  // namespace reprosum::cli

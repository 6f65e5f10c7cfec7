// A child process and what it said.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "spec/surface.h"
#include "tests/src/runtime/sample_specs.h"

namespace reprosum::samples {

struct Said {
  std::string text;  // stdout and stderr together
  int exit_code = -1;
};

inline Said run(const std::string& command) {
  Said said;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return said;
  char block[4096];
  while (const std::size_t got = std::fread(block, 1, sizeof block, pipe))
    said.text.append(block, got);
  const int status = pclose(pipe);
  said.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

inline void write_spec(const std::string& path, spec::Spec spec) {
  spec::canonicalize(spec);
  std::ofstream(path) << spec::to_json(spec);
}

}  // namespace reprosum::samples

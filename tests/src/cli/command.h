// Runs the reprosum command as its users do: another process, its exit code and its two streams.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/paths.h"

namespace reprosum::cli {

// A directory that goes with the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "reprosum-cli-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Outcome {
  int code = -1;
  std::string out, err;
};

// `line` is read by the shell; environment is what stands before the command, such as "A=1 B=2".
inline Outcome shell(const std::string& line) {
  const Scratch scratch;
  const std::string out = scratch.file("out"), err = scratch.file("err");
  const int status =
      std::system(("{ " + line + "\n} >'" + out + "' 2>'" + err + "' </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
}

inline Outcome reprosum(const std::string& arguments, const std::string& environment = "") {
  // The caller's variables would change what is tested.
  return shell("env -u REPROSUM_SPEC -u REPROSUM_ISA " + environment +
               " '" REPROSUM_BINARY_DIR "/reprosum' " + arguments);
}

// The one object that a --json verb prints.
inline nlohmann::json json_of(const Outcome& outcome) {
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

inline std::string fake(const std::string& name) {
  return "blas:" REPROSUM_BINARY_DIR "/libfake_" + name + ".so";
}

inline bool has_program(const std::string& name) { return shell("command -v " + name).code == 0; }

}  // namespace reprosum::cli

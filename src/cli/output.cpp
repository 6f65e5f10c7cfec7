#include "src/cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "spec/error.h"
#include "src/base/printable.h"
#include "src/base/read_file.h"

namespace reprosum::cli {
namespace {

// Larger than any spec that a capture writes.
constexpr std::size_t kLargestFile = std::size_t{1} << 28;

std::string read_stdin() {
  std::string text, block(std::size_t{1} << 16, '\0');
  while (std::cin.read(block.data(), static_cast<std::streamsize>(block.size())),
         std::cin.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kLargestFile)
      throw EnvironmentError("cannot read standard input: it is too large");
  }
  return text;
}

}  // namespace

void print(std::string_view text) {
  const std::string safe = base::printable(text);
  std::fwrite(safe.data(), 1, safe.size(), stdout);
}

void print_now(std::string_view text) {
  print(text);
  std::fflush(stdout);  // main() asks for the stream's error
}

void print_json(const Json& json) {
  // Names of files need not be UTF-8; replace rather than fail.
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void remark(std::string_view text) { std::fprintf(stderr, "%s\n", base::printable(text).c_str()); }

void write_output(const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") return print(text);
  namespace fs = std::filesystem;
  std::error_code error;
  // A device or a pipe cannot be replaced, only written to.
  const bool plain = !fs::exists(path, error) || fs::is_regular_file(path, error);
  const std::string target = plain ? path + ".part" + std::to_string(::getpid()) : path;
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    const std::string why = std::strerror(errno);
    if (plain) fs::remove(target, error);
    throw EnvironmentError("cannot write " + path + ": " + why);
  }
  if (!plain) return;
  fs::rename(target, path, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(target, error);
    throw EnvironmentError("cannot write " + path + ": " + why);
  }
}

std::string read_file(const std::string& path) {
  if (path == "-") return read_stdin();
  base::FileText file = base::read_file(path, kLargestFile);
  if (!file.why.empty()) throw EnvironmentError("cannot read " + path + ": " + file.why);
  return std::move(file.text);
}

}  // namespace reprosum::cli

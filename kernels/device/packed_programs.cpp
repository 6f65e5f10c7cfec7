#include "kernels/device/packed_programs.h"

#include <filesystem>
#include <fstream>

#include "kernels/device/program_store.h"
#include "spec/error.h"
#include "src/base/environment.h"
#include "src/base/read_file.h"

namespace reprosum::kernels::device {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestName = 200;  // of a compiler

std::string name_file(const std::string& directory) { return directory + "/compiler"; }

// "" if there is none.
std::string compiler_of(const std::string& directory) {
  std::string name = base::read_file(name_file(directory), kLargestName).text;
  if (const auto end = name.find('\n'); end != std::string::npos) name.resize(end);
  return name;
}

}  // namespace

std::shared_ptr<const PackedPrograms> PackedPrograms::named() {
  const char* const directory = base::variable("REPROSUM_PROGRAMS");
  if (directory == nullptr || *directory == '\0') return nullptr;
  return std::make_shared<const PackedPrograms>(directory);
}

PackedPrograms::PackedPrograms(std::string directory)
    : directory_(std::move(directory)), compiler_(compiler_of(directory_)), programs_(directory_) {
  if (compiler_.empty())
    throw EnvironmentError(directory_ +
                           " is no directory of packed programs (REPROSUM_PROGRAMS): it has no "
                           "file \"compiler\" that says what made them");
}

PackedPrograms::PackedPrograms(std::string directory, const std::string& compiler)
    : directory_(std::move(directory)), compiler_(compiler_of(directory_)), programs_(directory_) {
  if (compiler_.empty()) {
    std::error_code error;
    fs::create_directories(directory_, error);
    fs::permissions(directory_, fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove, error);
    std::ofstream(name_file(directory_)) << compiler << '\n';
    compiler_ = compiler_of(directory_);
  }
  if (compiler_ != compiler)
    throw EnvironmentError(compiler_.empty()
                               ? directory_ + " cannot be written: no programs are packed"
                               : directory_ + " has programs by " + compiler_ + ", not by " +
                                     compiler + ": pack into an empty directory");
}

std::string PackedPrograms::key(const std::string& text, int capability,
                                const std::string& options) const {
  Facts facts;
  facts.dialect = Dialect::cuda;
  facts.target = "sm_" + std::to_string(capability);
  facts.compiler = compiler_;
  return program_key(facts, options, text);
}

std::string PackedPrograms::code(const std::string& text, int capability,
                                 const std::string& options) const {
  for (int made_for = capability; made_for >= capability / 10 * 10; --made_for) {
    const std::string name = key(text, made_for, options);
    if (auto code = programs_.load(name)) return *std::move(code);
    if (programs_.has_file(name))
      throw EnvironmentError("a packed program in " + directory_ +
                             " is damaged, or others than its user may write it: " +
                             programs_.path(name) + "; pack it again or own a copy");
  }
  throw EnvironmentError("no packed program in " + directory_ + " (REPROSUM_PROGRAMS, by " +
                         compiler_ + ") for this text at sm_" + std::to_string(capability) +
                         " with the options " + options +
                         ": pack it where NVRTC is, or unset REPROSUM_PROGRAMS");
}

bool PackedPrograms::has(const std::string& text, int capability,
                         const std::string& options) const {
  return programs_.load(key(text, capability, options)).has_value();
}

void PackedPrograms::add(const std::string& text, int capability, const std::string& options,
                         const std::string& code) const {
  const std::string name = key(text, capability, options);
  programs_.store(name, code);
  if (programs_.load(name) != code)
    throw EnvironmentError("a program was not written to " + directory_ +
                           ": the directory must be this user's, and no other may write it");
}

}  // namespace reprosum::kernels::device

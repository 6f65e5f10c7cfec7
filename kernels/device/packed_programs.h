// Machine code of CUDA text that was made where NVRTC is, for a host that has a GPU and no NVRTC.
#pragma once

#include <memory>
#include <string>

#include "kernels/object_cache.h"

namespace reprosum::kernels::device {

// A directory of programs, kept and verified as the program cache does it (the hash of text,
// options, architecture and compiler is the name, the hash of the code its check), and a file
// "compiler" that says what made them. Machine code is made for an architecture: no driver's
// version is in its name, and the driver says whether it takes it. Any thread.
class PackedPrograms {
 public:
  // The programs of the directory that REPROSUM_PROGRAMS names, or null if it names none. With a
  // directory no program comes from elsewhere: the self-test's programs come from it too, so it
  // tests the compiler that made the others.
  static std::shared_ptr<const PackedPrograms> named();

  // Throws EnvironmentError if it is no such directory.
  explicit PackedPrograms(std::string directory);
  // The same, made if nothing is there, for more programs by that compiler ("NVRTC 13.0"). Throws
  // EnvironmentError if those that are there were made by another.
  PackedPrograms(std::string directory, const std::string& compiler);

  const std::string& compiler() const { return compiler_; }

  // For the compute capability (10 * major + minor), or an older one of the same major number,
  // whose code also runs there. Throws EnvironmentError, in words, if there is none, or a damaged
  // one.
  std::string code(const std::string& text, int capability, const std::string& options) const;

  bool has(const std::string& text, int capability, const std::string& options) const;
  // Throws EnvironmentError if it cannot be written.
  void add(const std::string& text, int capability, const std::string& options,
           const std::string& code) const;

 private:
  std::string key(const std::string& text, int capability, const std::string& options) const;

  std::string directory_, compiler_;
  ObjectCache programs_;
};

}  // namespace reprosum::kernels::device

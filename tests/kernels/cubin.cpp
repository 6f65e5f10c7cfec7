#include "tests/kernels/cubin.h"

#include <elf.h>

#include <cstring>

#include "kernels/text/device_text.h"
#include "spec/error.h"

namespace reprosum::kernels::test {
namespace {

template <class T>
T read(const std::string& bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T))
    throw UserError("a cubin that ends early");
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

constexpr std::pair<unsigned, const char*> kOperations[] = {
    {0x20, "FMUL"}, {0x21, "FADD"}, {0x23, "FFMA"}, {0x28, "DMUL"}, {0x29, "DADD"}, {0x2b, "DFMA"}};

}  // namespace

std::map<std::string, int> arithmetic_of(const std::string& cubin) {
  const auto header = read<Elf64_Ehdr>(cubin, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw UserError("no ELF file");
  const auto section = [&](std::size_t k) {
    return read<Elf64_Shdr>(cubin, header.e_shoff + k * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  std::map<std::string, int> found;
  std::size_t code = 0;
  for (std::size_t k = 0; k < header.e_shnum; ++k) {
    const Elf64_Shdr one = section(k);
    if (std::strncmp(cubin.c_str() + names.sh_offset + one.sh_name, ".text.", 6) != 0) continue;
    for (std::size_t at = 0; at + 16 <= one.sh_size; at += 16, ++code) {
      const unsigned operation = read<std::uint64_t>(cubin, one.sh_offset + at) & 0x1ff;
      for (const auto& [number, name] : kOperations)
        if (number == operation) ++found[name];
    }
  }
  if (code == 0) throw UserError("a cubin without code");
  return found;
}

std::map<std::string, int> arithmetic_of_text(const std::string& text) {
  constexpr std::pair<const char*, const char*> kMacros[] = {{"MULF(", "FMUL"}, {"ADDF(", "FADD"},
                                                             {"FMAF(", "FFMA"}, {"MULD(", "DMUL"},
                                                             {"ADDD(", "DADD"}, {"FMAD(", "DFMA"}};
  std::map<std::string, int> found;
  for (const auto& [macro, name] : kMacros)
    for (std::size_t at = text::device_macros().size();
         (at = text.find(macro, at)) != std::string::npos; ++at)
      ++found[name];
  return found;
}

}  // namespace reprosum::kernels::test

// Which floating-point instructions the machine code of an NVIDIA GPU has.
#pragma once

#include <map>
#include <string>

namespace reprosum::kernels::test {

// How many of each, by name: FADD, FMUL, FFMA, DADD, DMUL, DFMA; those that there are none of are
// absent. From an ELF file of compute capability 7.0 and later: 16 bytes an instruction, its
// operation in the lowest nine bits. Throws UserError if it is no such file.
std::map<std::string, int> arithmetic_of(const std::string& cubin);

// The same names of the operations that a device text asks for, macros left out.
std::map<std::string, int> arithmetic_of_text(const std::string& text);

}  // namespace reprosum::kernels::test

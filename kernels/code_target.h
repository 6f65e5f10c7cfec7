// A machine that code is made for; knows no compiler.
#pragma once

namespace reprosum::kernels {

struct CodeTarget {
  const char* triple = "";
  const char* cpu = "";
  const char* features = "";
  unsigned vector_bits = 256;
  unsigned vscale = 0;  // SVE: the least length of vectors, in 128 bits; 0 elsewhere
  // Stands before the names of functions, which are then hidden, in objects that are linked
  // together.
  const char* prefix = "";
};

inline CodeTarget at_width(const CodeTarget& target, unsigned vector_bits) {
  CodeTarget changed = target;
  changed.vector_bits = vector_bits;
  return changed;
}

}  // namespace reprosum::kernels

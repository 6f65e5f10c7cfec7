// One call whose bits are others than its order's.
#pragma once

#include <string>

namespace reprosum::reveal {

struct Mismatch {
  std::string context;        // "ddot n=1234 incx=1 incy=1 threads=2 align=(0,0)"
  std::string expected, got;  // hex floats
  std::string seed;
};

// The words of a refusal.
inline std::string text_of(const Mismatch& wrong) {
  return wrong.context + ": expected " + wrong.expected + ", got " + wrong.got;
}

}  // namespace reprosum::reveal

// What the fake CUDA driver (fake_cuda.cpp) counts and can be told.
#pragma once

#include <cstddef>

struct FakeCuda {
  // What exists now.
  int contexts_retained, modules, streams;
  std::size_t bytes;
  // Calls without a current context, or with one that was not pushed for them.
  int faults;
  int devices;        // how many it says it has
  int capability;     // of them: 10 * major + minor
  const char* fails;  // the function that returns out of memory; nullptr: none
  int depth;          // of the thread's stack of contexts
};

extern "C" FakeCuda* fake_cuda();

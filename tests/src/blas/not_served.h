// A call that was not served leaves NaN in every element that the reference would have written, and
// nothing else. Its error exit is this program's own, and returns. The referee is the reference.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace not_served {

inline int exits = 0;

// Every call is refused: none is replayed, and none may be forwarded.
inline void* ours(const std::string& name) {
  static void* const library = [] {
    setenv("REPROSUM_BACKING", REFERENCE_BLAS, 1);
    setenv("REPROSUM_ON_FORWARDED", "error", 1);
    unsetenv("REPROSUM_SPEC");
    unsetenv("REPROSUM_MODE");
    return dlopen(REPROSUM_BLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  }();
  return library == nullptr ? nullptr : dlsym(library, name.c_str());
}
inline void* symbol_of(const char* file, const std::string& name) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, name.c_str());
}

// `served` is the routine of the library that is the referee. made(seed) gives the arguments of a
// call: call(address), and the arrays() that it passes.
template <class Made>
void expect_nan_where_written(const std::string& name, void* served, unsigned seeds,
                              const Made& made) {
  void* const refused = ours(name);
  ASSERT_NE(refused, nullptr) << name;
  ASSERT_NE(served, nullptr) << name;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const auto before = made(seed), wanted = made(seed), got = made(seed);
    const int exits_before = exits;
    wanted.call(served);
    ASSERT_EQ(exits, exits_before) << name;
    got.call(refused);
    ASSERT_EQ(exits, exits_before + 1) << name;
    std::size_t written = 0;
    for (std::size_t i = 0; i < got.arrays().size(); ++i) {
      for (std::size_t j = 0; j < got.arrays()[i].size(); ++j) {
        const auto old = before.arrays()[i][j], now = got.arrays()[i][j];
        const bool writes = wanted.arrays()[i][j] != old;
        written += writes;
        ASSERT_TRUE(writes ? std::isnan(now) : now == old)
            << name << " seed " << seed << " argument array " << i << "[" << j << "] = " << now;
      }
    }
    EXPECT_GT(written, 0u) << name;
  }
}

template <class Made>
void expect_nan_where_the_reference_writes(const std::string& name, unsigned seeds,
                                           const Made& made) {
  expect_nan_where_written(name, symbol_of(REFERENCE_BLAS, name), seeds, made);
}

}  // namespace not_served

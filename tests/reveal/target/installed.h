// The BLAS libraries of this system.
#pragma once

#include <memory>
#include <string>

#include "reveal/target.h"

namespace reprosum::reveal::testing {

// Those whose sums of integers are checked; a test of one that is not installed is skipped. The
// last two take integers of 64 bits.
inline constexpr const char* kInstalled[] = {"openblas-pthread/libopenblas.so.0",
                                             "openblas-pthread/libblas.so.3",
                                             "atlas/libblas.so.3",
                                             "blas/libblas.so.3",
                                             "blis-pthread/libblas.so.3",
                                             "openblas64-pthread/libopenblas64.so.0",
                                             "blas64/libblas64.so.3"};

inline std::string installed_path(const char* library) {
  return std::string("/usr/lib/x86_64-linux-gnu/") + library;
}

inline std::unique_ptr<Target> open_with_threads(const std::string& path,
                                                 const std::string& threads) {
  return open_target("blas:" + path, {.environment = {"OMP_NUM_THREADS=" + threads,
                                                      "OPENBLAS_NUM_THREADS=" + threads,
                                                      "BLIS_NUM_THREADS=" + threads}});
}

}  // namespace reprosum::reveal::testing

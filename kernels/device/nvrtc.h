// CUDA C++ compiled by NVRTC, which needs no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reprosum::kernels::device {

// Every operation as it is written: nothing is fused, flushed or approximated.
std::string cuda_options();

// "NVRTC 13.0"; "" with a reason where there is none.
std::string nvrtc_version(std::string* why);

// Compute capabilities as 10 * major + minor that it makes code for, ascending.
std::vector<int> nvrtc_architectures();

// Machine code for the capability, or PTX for the nearest older one that NVRTC knows, which the
// driver of a newer GPU translates. `more` options are separated by blanks. Throws EnvironmentError
// with the compiler's log, or if there is no NVRTC or the capability is older than all it knows.
std::string compile_cuda(const std::string& text, int capability, const std::string& more = "");

}  // namespace reprosum::kernels::device

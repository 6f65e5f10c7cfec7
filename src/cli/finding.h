// What `doctor` finds out, one line each.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::cli {

struct Finding {
  std::string what, found, advice;  // advice: empty if all is well
};

// The spec that REPROSUM_SPEC names, if it can be read: a line about it, one for each routine.
// *spec is left empty where there is none.
std::vector<Finding> find_spec(spec::Spec* spec);

// Every REPROSUM_ variable but REPROSUM_SPEC, and those that change what a probed library does.
std::vector<Finding> find_variables(const spec::Spec& spec);

// The BLAS that NumPy and R load in this environment, and whether that is ours where it is asked
// for.
std::vector<Finding> find_programs();

// The OpenCL devices and CUDA GPUs, each with the verdict of its self-test, or what is missing.
std::vector<Finding> find_devices();

}  // namespace reprosum::cli

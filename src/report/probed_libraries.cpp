#include "src/report/probed_libraries.h"

#include <algorithm>

#include "src/base/environment.h"

namespace reprosum::report {
namespace {

constexpr const char* kThreadVariables[] = {
    "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",         "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",      "BLIS_NUM_THREADS",         "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",  "ARMPL_NUM_THREADS",        "NVPL_BLAS_NUM_THREADS",
    "JULIA_NUM_THREADS",    "RCPP_PARALLEL_NUM_THREADS"};

constexpr const char* kIdleVariable = "OPENBLAS_THREAD_TIMEOUT";

// Variables without which a capture cannot be repeated: core types, code branches, cache sizes.
constexpr const char* kSelectingVariables[] = {"BLIS_ARCH_TYPE",
                                               "BLIS_ARCH_DEBUG",
                                               "BLIS_MODEL_TYPE",
                                               "FLEXIBLAS",
                                               "FLEXIBLAS_HOOK",
                                               "LD_LIBRARY_PATH",
                                               "LD_PRELOAD",
                                               "MKL_CBWR",
                                               "MKL_DEBUG_CPU_TYPE",
                                               "MKL_DYNAMIC",
                                               "MKL_ENABLE_INSTRUCTIONS",
                                               "MKL_INTERFACE_LAYER",
                                               "MKL_THREADING_LAYER",
                                               "NPY_DISABLE_CPU_FEATURES",
                                               "NPY_ENABLE_CPU_FEATURES",
                                               "OMP_DYNAMIC",
                                               "OMP_PROC_BIND",
                                               "OPENBLAS_BLOCK_FACTOR",
                                               "OPENBLAS_CORETYPE",
                                               "OPENBLAS_L2_SIZE",
                                               "OPENBLAS_VERBOSE"};

}  // namespace

std::vector<std::string> thread_environment(int threads) {
  std::vector<std::string> out;
  for (const char* name : kThreadVariables)
    out.push_back(std::string(name) + "=" + std::to_string(threads));
  // Libraries that adapt the number of threads to the load would make the order a matter of luck.
  out.emplace_back("OMP_DYNAMIC=FALSE");
  out.emplace_back("MKL_DYNAMIC=FALSE");
  // OpenBLAS's idle threads otherwise spin for a tenth of a second after each call (2^28 ticks): on
  // few cores they take them from the next call and from whoever judges the last one.
  if (base::variable(kIdleVariable) == nullptr) out.push_back(std::string(kIdleVariable) + "=16");
  // So do those of OpenMP, in some runtimes for as long as the processors are busy elsewhere.
  if (base::variable("OMP_WAIT_POLICY") == nullptr) out.emplace_back("OMP_WAIT_POLICY=PASSIVE");
  return out;
}

std::vector<std::string> thread_setters() { return {"openblas_set_num_threads"}; }

std::vector<std::string> identity_symbols() {
  return {"openblas_get_config",      "openblas_get_corename",
          "bli_info_get_version_str", "bli_info_get_int_type_size_str",
          "armpl_get_version_string", "flexiblas_get_version_string"};
}

std::vector<std::pair<std::string, std::string>> selecting_environment() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const char* name : kSelectingVariables)
    if (const char* value = base::variable(name)) out.emplace_back(name, value);
  for (const char* name : kThreadVariables)
    if (const char* value = base::variable(name)) out.emplace_back(name, value);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> usual_library_names() {
  return {"libblas.so.3",      "libcblas.so.3",
          "libopenblas.so.0",  "libopenblas64.so.0",
          "libblis.so.4",      "libblis.so.3",
          "libflexiblas.so.3", "libmkl_rt.so.2",
          "libmkl_rt.so",      "libatlas.so.3",
          "libsatlas.so.3",    "libtatlas.so.3",
          "libarmpl_lp64.so",  "libnvpl_blas_lp64_gomp.so.0"};
}

}  // namespace reprosum::report

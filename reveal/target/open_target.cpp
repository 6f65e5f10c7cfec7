#include <string_view>

#include "reveal/target.h"
#include "reveal/target/blas_target.h"
#include "reveal/target/exec_target.h"

namespace reprosum::reveal {

std::vector<double> Target::run_matrix(const MatrixBatch&) {
  throw TargetError("declined", "this kind of target has no gemv and gemm");
}

std::vector<std::vector<double>> Target::run_matrices(std::span<const MatrixBatch> batches) {
  std::vector<std::vector<double>> outputs;
  outputs.reserve(batches.size());
  for (const MatrixBatch& batch : batches) outputs.push_back(run_matrix(batch));
  return outputs;
}

std::vector<std::uint64_t> Target::signatures(const MatrixCall&, std::span<const UniformProbe>) {
  throw TargetError("declined", "this kind of target has no gemv and gemm");
}

std::unique_ptr<Target> open_target(const std::string& name, const TargetOptions& options) {
  for (const std::string& setting : options.environment) {
    if (setting.find('=') == std::string::npos || setting.front() == '=' ||
        setting.find('\0') != std::string::npos) {
      throw UserError("not of the form NAME=VALUE: \"" + setting + "\"");
    }
  }
  if (!(options.timeout_s > 0)) throw UserError("a target's time limit must be positive");
  constexpr std::string_view kBlas = "blas:", kExec = "exec:";
  if (name.starts_with(kBlas) && name.size() > kBlas.size()) {
    return open_blas_target(name.substr(kBlas.size()), options);
  }
  if (name.starts_with(kExec) && name.size() > kExec.size()) {
    return open_exec_target(name.substr(kExec.size()), options);
  }
  throw UserError("\"" + name + "\" is no target; say blas:<path or soname> or exec:<command>");
}

}  // namespace reprosum::reveal

#include "reveal/target.h"
#include "reveal/target/blas_server.h"
#include "reveal/target/blas_target.h"
#include "reveal/target/device_library.h"
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

std::vector<std::uint64_t> Target::signatures(const Call&, std::span<const UniformProbe>) {
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
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (kind == kBlas && !rest.empty()) return open_library_target(kind, rest, options);
  if (kind == "exec" && !rest.empty()) return open_exec_target(rest, options);
  if ((kind == kClblast || kind == kCublas) && colon != std::string::npos) {
    // A wrong setting is the user's error, here.
    parse_device_library(rest, kind == kClblast
                                   ? std::span<const std::string_view>(kClblastSettings)
                                   : kCublasSettings);
    return open_library_target(kind, rest, options);
  }
  throw UserError("\"" + name + "\" is no target; say " + target_forms());
}

const char* target_forms() {
  return "blas:<path or soname>, exec:<command>, clblast:[<path or soname>][,device=<number>] or "
         "cublas:[<path or soname>][,<setting>=<value>...]";
}

}  // namespace reprosum::reveal

// A BLAS loaded into this process: faster to ask than a target in a process of its own.
#pragma once

#include <string>

#include "reveal/target.h"

namespace reprosum::reveal::region_testing {

class DlopenTarget final : public Target {
 public:
  explicit DlopenTarget(const std::string& path);  // throws TargetError
  std::vector<double> run(const Batch& batch) override;
  bool has(spec::Routine routine, spec::Type type) override;
  std::vector<std::uint64_t> signatures(const Call& call,
                                        std::span<const UniformProbe> probes) override;
  std::vector<std::pair<std::string, std::string>> identity() override { return {}; }
  std::int64_t calls() const override { return calls_; }
  const char* core() const;       // OpenBLAS's name of its kernels, or ""
  void set_threads(int threads);  // of an OpenBLAS; throws TargetError

 private:
  template <class T>
  void add_probe(const Call& call, const UniformProbe& probe, std::vector<std::uint64_t>& hashes);
  void* library_ = nullptr;
  std::int64_t calls_ = 0;
};

}  // namespace reprosum::reveal::region_testing

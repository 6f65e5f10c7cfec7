// A target inside this process: a function with a known order, for tests and for synthetic orders.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"

namespace reprosum::reveal {

class FunctionTarget final : public Target {
 public:
  // x and y are the call.n summands in logical order (increments and alignment are resolved; with
  // an increment of 0 all are equal; y is all ones for sum). The result is rounded to call.type by
  // the function itself.
  using Function = std::function<double(const Call& call, const double* x, const double* y)>;

  // has() is true for `routines`; empty: for every routine and type.
  explicit FunctionTarget(Function function,
                          std::vector<std::pair<spec::Routine, spec::Type>> routines = {},
                          std::string name = "function");

  std::vector<double> run(const Batch& batch) override;
  bool has(spec::Routine routine, spec::Type type) override;
  std::vector<std::pair<std::string, std::string>> identity() override;
  std::int64_t calls() const override { return calls_; }

 private:
  Function function_;
  std::vector<std::pair<spec::Routine, spec::Type>> routines_;
  std::string name_;
  std::int64_t calls_ = 0;
};

}  // namespace reprosum::reveal

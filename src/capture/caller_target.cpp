#include "src/capture/caller_target.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reveal/target/layout.h"
#include "src/runtime/errors.h"

namespace reprosum::capture {
namespace {

using reveal::Batch;
using reveal::Call;
using reveal::TargetError;
using runtime::BadArgument;
using Facts = std::vector<std::pair<std::string, std::string>>;

// One vector in memory of its own, NaN around and between its summands.
template <class T>
class Operand {
 public:
  Operand(std::span<const double> row, std::int64_t n, std::int64_t increment)
      : layout_{n, increment} {
    constexpr std::size_t kLine = reveal::kLineBytes;
    const auto guard = static_cast<std::size_t>(reveal::kGuardElements);
    const auto span = static_cast<std::size_t>(layout_.span());
    memory_.assign(span + 2 * guard + 2 * kLine / sizeof(T), std::numeric_limits<T>::quiet_NaN());
    auto address = reinterpret_cast<std::uintptr_t>(memory_.data() + guard);
    address += (kLine - address % kLine) % kLine;
    first_ = reinterpret_cast<T*>(address);
    for (std::int64_t k = 0; k < n; ++k)
      first_[layout_.position(k)] = row.empty() ? T(1) : T(row[static_cast<std::size_t>(k)]);
    if (increment == 0 && n > 0) first_[0] = row.empty() ? T(1) : T(row[0]);
  }

  void apply(const std::vector<reveal::Edit>& edits) {
    before_.clear();
    for (const reveal::Edit& edit : edits) {
      if (layout_.increment == 0 && edit.index != 0) continue;
      T& value = first_[layout_.position(edit.index)];
      before_.emplace_back(edit.index, value);
      value = T(edit.value);
    }
  }
  void revert() {
    for (auto at = before_.rbegin(); at != before_.rend(); ++at)
      first_[layout_.position(at->first)] = at->second;
  }
  const T* first() const { return first_; }

 private:
  const reveal::VectorLayout layout_;
  std::vector<T> memory_;
  T* first_ = nullptr;
  std::vector<std::pair<std::int64_t, T>> before_;
};

class CallerTarget final : public reveal::Target {
 public:
  CallerTarget(const reprosum_function& function, Facts facts, CallerDesk& desk, int threads)
      : function_(function), facts_(std::move(facts)), desk_(desk), threads_(threads) {}

  bool has(spec::Routine routine, spec::Type type) override {
    if (spec::has_matrices(routine) || !spec::is_native(type)) return false;
    const int types = routine == spec::Routine::sum ? function_.sums : function_.dots;
    return (types & (spec::is_f32(type) ? 1 : 2)) != 0;
  }

  std::vector<double> run(const Batch& batch) override {
    reveal::check(batch);
    const Call& call = batch.call;
    if (!has(call.routine, call.type))
      throw TargetError("missing_symbol", std::string(function_.name) + " is no " +
                                              spec::blas_name(call.routine, call.type));
    if (call.k <= 0 || call.cblas)
      throw TargetError("declined", "a function is called with summands");
    if (call.align_a != 0 || call.align_b != 0 || call.place != reveal::Place{})
      throw TargetError("declined", "addresses cannot be chosen of a function's operands");
    std::vector<double> outputs;
    desk_.post([&] {
      outputs = spec::is_f32(call.type) ? run_rows<float>(batch) : run_rows<double>(batch);
    });
    return outputs;
  }

  Facts identity() override { return facts_; }
  std::int64_t calls() const override { return calls_; }

 private:
  template <class T>
  std::vector<double> run_rows(const Batch& batch) {
    const Call& call = batch.call;
    const bool is_dot = call.routine == spec::Routine::dot;
    const std::vector<reveal::Probe> unchanged(1);
    const auto& probes = batch.probes.empty() ? unchanged : batch.probes;
    const auto n = static_cast<std::size_t>(call.k);
    const auto row_of = [&](std::span<const double> all, std::int64_t row) {
      return all.empty() ? all : all.subspan(static_cast<std::size_t>(row) * n, n);
    };
    const reprosum_reduction what{is_dot ? REPROSUM_DOT : REPROSUM_SUM,
                                  sizeof(T) == sizeof(float) ? REPROSUM_F32 : REPROSUM_F64,
                                  call.k,
                                  call.incx,
                                  is_dot ? call.incy : 1,
                                  threads_,
                                  0,
                                  0};
    std::vector<double> outputs;
    for (std::int64_t row = 0; row < batch.rows; ++row) {
      Operand<T> x(row_of(batch.x, row), call.k, call.incx);
      Operand<T> y(is_dot ? row_of(batch.y, row) : std::span<const double>(), is_dot ? call.k : 0,
                   is_dot ? call.incy : 1);
      for (const reveal::Probe& probe : probes) {
        x.apply(probe.x);
        if (is_dot) y.apply(probe.y);
        T out = std::numeric_limits<T>::quiet_NaN();
        ++calls_;
        check_answer(
            function_.call(function_.user, &what, x.first(), is_dot ? y.first() : nullptr, &out));
        outputs.push_back(static_cast<double>(out));
        if (is_dot) y.revert();
        x.revert();
      }
    }
    return outputs;
  }

  void check_answer(int answer) const {
    if (answer == 1)
      throw TargetError("declined", std::string(function_.name) + " does not make such calls");
    if (answer != 0)
      throw TargetError("failed", std::string(function_.name) + " failed, and said so");
  }

  const reprosum_function& function_;
  const Facts facts_;
  CallerDesk& desk_;
  const int threads_;
  std::atomic<std::int64_t> calls_{0};
};

Facts facts_of(const reprosum_function& function) {
  Facts facts{{"target", std::string("function:") + function.name}};
  std::string_view rest = function.facts == nullptr ? "" : function.facts;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) continue;
    const std::size_t at = line.find('=');
    if (at == 0 || at == line.npos)
      throw BadArgument("the fact \"" + std::string(line) + "\" is no NAME=VALUE");
    facts.emplace_back("says." + std::string(line.substr(0, at)), line.substr(at + 1));
  }
  return facts;
}

}  // namespace

reveal::TargetFactory caller_targets(const reprosum_function& function, CallerDesk& desk) {
  if (function.name == nullptr || *function.name == 0)
    throw BadArgument("the function has no name");
  if (function.call == nullptr) throw BadArgument("the function has no call");
  if (function.sums < 0 || function.sums > 3 || function.dots < 0 || function.dots > 3 ||
      function.sums + function.dots == 0)
    throw BadArgument("the function's sums and dots are from 0 to 3, and not both 0");
  return [&function, &desk, facts = facts_of(function)](int threads) {
    return std::make_unique<CallerTarget>(function, facts, desk, threads);
  };
}

}  // namespace reprosum::capture

// find(): the entry that covers a call, or what is not covered.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "spec/conditions.h"
#include "spec/refused.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

// Why an entry does not cover a call. The later the check, the closer the entry came.
struct Missed {
  std::size_t check = 0;
  std::string why;
};
constexpr std::size_t kRoutine = 0, kTransposes = 1;  // checks; the conditions follow

std::string beyond(const char* size, std::int64_t asked, std::int64_t most) {
  return std::string(size) + " = " + std::to_string(asked) + " is beyond the captured " +
         std::to_string(most);
}

std::string shape_missed(const Entry& entry, const Context& call) {
  if (!has_matrices(call.routine)) {  // BLAS calls their summands n
    const std::int64_t most = most_summands(entry);
    return call.shape.k > most ? beyond("n", call.shape.k, most) : "";
  }
  if (call.shape.m > entry.m_max) return beyond("m", call.shape.m, entry.m_max);
  if (call.shape.n > entry.n_max) return beyond("n", call.shape.n, entry.n_max);
  std::string why;
  if (regions(entry.regimes, call.shape, &why)) return "";
  return why;
}

std::optional<std::size_t> first_missed(const Guard& guard, const Context& call, bool is_of_data) {
  const auto& rows = conditions();
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k].is_of_data == is_of_data && has(rows[k], call.routine) &&
        !rows[k].admits(guard, call))
      return k;
  return std::nullopt;
}

// nullopt: the call is covered. The reason is made where it is wanted.
std::optional<Missed> missed(const Entry& entry, const Context& call, bool wants_reason) {
  if (entry.routine != call.routine || entry.type != call.type) return Missed{};
  const auto refusal = [&](std::size_t row) {
    return wants_reason ? conditions()[row].refusal(entry.guard, call, name_of(call))
                        : std::string();
  };
  const std::size_t shape = kTransposes + conditions().size();
  if (const auto row = first_missed(entry.guard, call, false))
    return Missed{kTransposes + *row, refusal(*row)};
  if (std::string why = shape_missed(entry, call); !why.empty())
    return Missed{shape, std::move(why)};
  if (const auto row = first_missed(entry.guard, call, true))
    return Missed{shape + 1, refusal(*row)};
  return std::nullopt;
}

// Rules for some data may cover what those for all data leave out: these come first. Zeros are
// common: where other rules hold, they are preferred to those without. A context does not say what
// alpha is, so a rule for alpha = 1 comes after all others: no call comes to it that they admit.
int limits(const Guard& guard, const Context& call) {
  return int{guard.finite_only} + 2 * int{guard.nonzero_only} +
         int{guard.beta != Beta::any && call.beta == Beta::any} + 8 * int{guard.alpha_one};
}

// How a refusal's context begins that is about increments like those of the call. One group of
// contexts has all of a sign, and names one.
std::string refused_increments(const Context& call) {
  const std::string of_matrix = has_matrices(call.routine)
                                    ? transposes_of(call.routine, call.trans_a, call.trans_b) + " "
                                    : "";
  return of_matrix + "incx=" + (call.incx < 0 ? "-" : std::to_string(call.incx));
}

}  // namespace

const Entry* find(const Spec& spec, const Context& call, std::string* why) {
  const std::string routine = blas_name(call.routine, call.type);
  Missed closest;
  const Entry* found = nullptr;
  for (const Entry& entry : spec.entries) {
    if (auto reason = missed(entry, call, why != nullptr)) {
      if (reason->check > closest.check) closest = std::move(*reason);
      continue;
    }
    const int own = limits(entry.guard, call);
    if (found == nullptr || own < limits(found->guard, call)) found = &entry;
    if (own == 0) break;
  }
  if (why == nullptr || found != nullptr) return found;
  if (closest.check == kRoutine)
    *why = routine + " was not captured" + refused_because(spec, routine);
  else if (closest.check == kTransposes && has_matrices(call.routine))
    *why = closest.why +
           refused_because(spec, routine, transposes_of(call.routine, call.trans_a, call.trans_b));
  else if (closest.check >= kTransposes && closest.check - kTransposes < conditions().size() &&
           std::string_view(conditions()[closest.check - kTransposes].name) == "increments")
    *why = closest.why + refused_because(spec, routine, refused_increments(call));
  else
    *why = std::move(closest.why);
  return nullptr;
}

}  // namespace reprosum::spec

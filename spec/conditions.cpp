#include "spec/conditions.h"

#include <utility>

#include "spec/condition_rows.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

bool admits(Leading leading, bool is_tight) {
  return leading == Leading::any || (leading == Leading::tight) == is_tight;
}

}  // namespace

const std::vector<Condition>& conditions() {
  static const auto& rows = *new const auto([] {  // for calls to the very end
    std::vector<Condition> all;
    for (auto some : {conditions_of_calls(), conditions_of_memory(), conditions_of_scalars(),
                      conditions_of_data()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }());
  return rows;
}

bool has(const Condition& condition, Routine routine) {
  return condition.of == Condition::Of::all ||
         (condition.of == Condition::Of::matrices) == has_matrices(routine);
}

std::string name_of(Routine routine, Type type, Trans trans_a, Trans trans_b) {
  const std::string name = blas_name(routine, type);
  return has_matrices(routine) ? name + " " + transposes_of(routine, trans_a, trans_b) : name;
}

std::string name_of(const Context& call) {
  return name_of(call.routine, call.type, call.trans_a, call.trans_b);
}

std::string transposes_of(Routine routine, Trans trans_a, Trans trans_b) {
  const auto letter = [](Trans trans) { return trans == Trans::yes ? 'T' : 'N'; };
  std::string out(1, letter(trans_a));
  if (routine == Routine::gemm) out += letter(trans_b);
  return out;
}

bool admits(const Leadings& leadings, const Tightness& tight) {
  for (std::size_t k = 0; k < kLeadingPlaces; ++k)
    if (!admits(leadings[k], tight[k])) return false;
  return true;
}

std::string describe(const Leadings& leadings) {
  std::string out;
  for (std::size_t k = 0; k < kLeadingPlaces; ++k) {
    if (leadings[k] == Leading::any) continue;
    if (!out.empty()) out += ", ";
    out += "ABC"[k];
    out += leadings[k] == Leading::tight ? " without gaps" : " with gaps";
  }
  return out;
}

std::string describe(const Guard& guard, Routine routine) {
  std::string out;
  for (const Condition& condition : conditions()) {
    if (!has(condition, routine)) continue;
    const std::string text = condition.text(guard, routine);
    if (!text.empty()) out += (out.empty() ? "" : ", ") + text;
  }
  return out;
}

Guard vector_guard(std::vector<Increments> increments, std::vector<int> threads,
                   AddressGuard addresses) {
  Guard guard;
  guard.increments = std::move(increments);
  guard.threads = std::move(threads);
  guard.addresses = std::move(addresses);
  return guard;
}

Context vector_call(Routine routine, Type type, std::int64_t n, std::int64_t incx,
                    std::int64_t incy, int threads, int align_x, int align_y) {
  Context call;
  call.routine = routine;
  call.type = type;
  call.shape = {1, 1, n};
  call.incx = incx;
  call.incy = incy;
  call.threads = threads;
  call.addresses[0] = align_x;
  call.addresses[1] = routine == Routine::sum ? 0 : align_y;
  return call;
}

}  // namespace reprosum::spec

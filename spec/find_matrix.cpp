// find(): the entry that covers a call of gemv or gemm, or what is not covered.
#include <algorithm>
#include <string>
#include <utility>

#include "spec/refused.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

char letter(Trans trans) { return trans == Trans::yes ? 'T' : 'N'; }

std::string letters_of(const MatrixContext& context) {
  std::string letters(1, letter(context.trans_a));
  if (context.routine == Routine::gemm) letters += letter(context.trans_b);
  return letters;
}

// "sgemm NT", "dgemv T".
std::string name_of(const MatrixContext& context) {
  return blas_name(context.routine, context.type) + " " + letters_of(context);
}

bool admits(Leading leading, bool is_tight) {
  return leading == Leading::any || (leading == Leading::tight) == is_tight;
}

// Why an entry does not cover the context. The later the check, the closer the entry came.
struct Missed {
  int check = 0;
  std::string why;
};

Missed missed(const MatrixEntry& entry, const MatrixContext& context) {
  const MatrixGuard& guard = entry.guard;
  const std::string name = name_of(context);
  const Shape3& shape = context.shape;
  if (entry.routine != context.routine || entry.type != context.type)
    return {0, blas_name(context.routine, context.type) + " was not captured"};
  if (guard.trans_a != context.trans_a || guard.trans_b != context.trans_b)
    return {1, name + " was not captured"};
  if (std::find(guard.threads.begin(), guard.threads.end(), context.threads) == guard.threads.end())
    return {2, name + " with threads = " + text(context.threads) + " was not captured"};
  if (!admits(guard.increments, context.incx, context.incy))
    return {3, name + " with incx = " + text(context.incx) + ", incy = " + text(context.incy) +
                   " was not captured"};
  if (context.from_row_major && !guard.row_major)
    return {4, "row-major calls of " + name + " were not captured"};
  if (alignment_of(context.addresses) % guard.alignment != 0)
    return {5, name + " was captured for addresses and leading dimensions that are multiples of " +
                   text(guard.alignment) + " bytes, not of " +
                   text(alignment_of(context.addresses))};
  if (!guard.addresses.admits(context.addresses)) {
    const AddressGuard here{guard.addresses.moduli,
                            {reduced(context.addresses, guard.addresses.moduli)}};
    return {5, name + " was not captured for " + describe(here, context.routine) + " bytes"};
  }
  for (std::size_t k = 0; k < kLeadingPlaces; ++k)
    if (!admits(guard.leading[k], context.tight[k]))
      return {5, name + " was captured only for a leading dimension of " + "ABC"[k] + " that is " +
                     (context.tight[k] ? "greater than the least one" : "the least one")};
  if (guard.beta != Beta::any && context.beta != Beta::any && guard.beta != context.beta)
    return {5, name + " was captured only for " +
                   (guard.beta == Beta::one ? "beta = 1" : "beta other than 1")};
  if (shape.m > entry.m_max)
    return {6, "m = " + text(shape.m) + " is beyond the captured " + text(entry.m_max)};
  if (shape.n > entry.n_max)
    return {6, "n = " + text(shape.n) + " is beyond the captured " + text(entry.n_max)};
  std::string why;
  if (!regions(entry.regimes, shape, &why)) return {7, std::move(why)};
  if (guard.finite_only && context.has_special)
    return {8, "with an Inf or NaN the captured library follows no order"};
  if (guard.nonzero_only && context.has_zero)
    return {8, "with a zero factor in A or B the captured library follows no order"};
  return {};
}

}  // namespace

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

const MatrixEntry* find(const Spec& spec, const MatrixContext& context, std::string* why) {
  Missed closest{0, blas_name(context.routine, context.type) + " was not captured"};
  // Rules for finite data may cover what those for all data leave out: these come first.
  const MatrixEntry* limited = nullptr;
  int fewest = 0;
  for (const MatrixEntry& entry : spec.matrices) {
    Missed reason = missed(entry, context);
    if (reason.why.empty()) {
      const MatrixGuard& guard = entry.guard;
      // Zeros are common: where other rules hold, they are preferred to those without.
      const int limits = int{guard.alpha_one} + int{guard.finite_only} +
                         2 * int{guard.nonzero_only} +
                         int{guard.beta != Beta::any && context.beta == Beta::any};
      if (limits == 0) return &entry;
      if (limited == nullptr || limits < fewest) {
        limited = &entry;
        fewest = limits;
      }
      continue;
    }
    if (reason.check > closest.check) closest = std::move(reason);
  }
  if (why != nullptr && limited == nullptr) {
    *why = std::move(closest.why);
    const std::string name = blas_name(context.routine, context.type);
    if (closest.check == 0) *why += refused_because(spec, name);
    if (closest.check == 1) *why += refused_because(spec, name, letters_of(context));
  }
  return limited;
}

}  // namespace reprosum::spec

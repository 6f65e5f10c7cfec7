// Calls: how they are made and named.
#include <fmt/format.h>

#include <utility>

#include "reveal/target.h"

namespace reprosum::reveal {

Call call_of_vectors(spec::Routine routine, spec::Type type, std::int64_t n, std::int64_t incx,
                     std::int64_t incy, int align_a, int align_b) {
  return {.routine = routine,
          .type = type,
          .k = n,
          .incx = incx,
          .incy = incy,
          .align_a = align_a,
          .align_b = align_b};
}

Call call_without_sizes(spec::Routine routine, spec::Type type, spec::Trans trans_a,
                        spec::Trans trans_b) {
  return {.routine = routine,
          .type = type,
          .trans_a = trans_a,
          .trans_b = trans_b,
          .m = spec::has_matrices(routine) ? 0 : 1};
}

namespace {

// What is not usual about it.
std::string describe_place(const Call& call) {
  const bool has_matrices = spec::has_matrices(call.routine);
  std::string text = call.cblas ? " through CBLAS" : "";
  if (call.conjugate) text += " with C for T";
  if (call.place.modulus != kLineBytes) text += fmt::format(" modulo {}", call.place.modulus);
  if (call.place.is_reversed) text += has_matrices ? ", A above C" : ", y below x";
  if (call.place.shift == 0)
    text += has_matrices ? ", B is A" : ", y is x";
  else if (call.place.shift)
    text += fmt::format(", y is x from {} on", *call.place.shift);
  return text;
}

}  // namespace

std::string describe(const Call& call) {
  const auto letter = [](spec::Trans trans) { return trans == spec::Trans::no ? "N" : "T"; };
  std::string text = spec::blas_name(call.routine, call.type);
  const auto number = [&](const char* name, std::int64_t value) {
    text += fmt::format(" {}={}", name, value);
  };
  if (!spec::has_matrices(call.routine)) {
    const bool has_y = call.routine == spec::Routine::dot;
    if (call.k > 0) number("n", call.k);
    number("incx", call.incx);
    if (has_y) number("incy", call.incy);
    return text +
           (has_y ? fmt::format(" align=({},{})", call.align_a, call.align_b)
                  : fmt::format(" align=({})", call.align_a)) +
           describe_place(call);
  }
  const bool gemv = call.routine == spec::Routine::gemv;
  text += std::string(" ") + letter(call.trans_a);
  if (!gemv) text += letter(call.trans_b);
  if (call.m > 0 || call.k > 0) {
    number("m", call.m);
    if (!gemv) number("n", call.n);
    number("k", call.k);
  }
  if (call.incx != 1 || call.incy != 1) {
    number("incx", call.incx);
    number("incy", call.incy);
  }
  const std::pair<const char*, std::int64_t> rare[] = {
      {"pad_a", call.pad_a},     {"pad_b", call.pad_b},     {"pad_c", call.pad_c},
      {"align_a", call.align_a}, {"align_b", call.align_b}, {"align_c", call.align_c}};
  for (const auto& [name, value] : rare)
    if (value != 0) number(name, value);
  return (call.row_major ? text + " by rows" : text) + describe_place(call);
}

}  // namespace reprosum::reveal

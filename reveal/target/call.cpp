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
    return text + (has_y ? fmt::format(" align=({},{})", call.align_a, call.align_b)
                         : fmt::format(" align=({})", call.align_a));
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
  return call.row_major ? text + " by rows" : text;
}

}  // namespace reprosum::reveal

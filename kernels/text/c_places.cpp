#include "kernels/text/c_places.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace reprosum::kernels::text {
namespace {

// Adds "k * name" to a sum.
void add_term(std::string& sum, std::int64_t k, const std::string& name) {
  if (k == 0) return;
  const std::string size = name.empty()       ? std::to_string(std::abs(k))
                           : std::abs(k) == 1 ? name
                                              : fmt::format("{} * {}", std::abs(k), name);
  sum += sum.empty() ? (k < 0 ? "-" : "") : (k < 0 ? " - " : " + ");
  sum += size;
}

std::string element(const program::Program& program, const program::Access& access,
                    const std::string& index) {
  const bool is_x =
      program.operands[static_cast<std::size_t>(access.operand)].name == program::Operand::Name::x;
  const std::string place = index.empty() ? "0" : index;
  const bool is_sum = place.find(' ') != std::string::npos;
  if (place == "0") return is_x ? "x[0]" : "y[0]";
  const std::string factor = is_sum ? "(" + place + ")" : place;
  return fmt::format("{}[{} * {}]", is_x ? "x" : "y", factor, is_x ? "incx" : "incy");
}

}  // namespace

std::string c_index(const program::Access& access, const std::string& counter,
                    std::int64_t offset) {
  std::string sum;
  add_term(sum, access.at.q, "q");
  add_term(sum, access.at.r, "r");
  add_term(sum, access.per_iteration, counter);
  add_term(sum, access.at.c + offset, "");
  return sum;
}

std::string c_linear(const spec::Linear& at) {
  std::string sum;
  add_term(sum, at.q, "q");
  add_term(sum, at.r, "r");
  add_term(sum, at.c, "");
  return sum.empty() ? "0" : sum;
}

std::string c_place(const program::Program& program, const program::Access& access,
                    const std::string& counter) {
  const auto& offsets = access.offsets;
  if (offsets.size() == 1) return c_place_of(program, access, counter, 0);
  const std::int64_t step = offsets[1] - offsets[0];
  for (std::size_t k = 1; k < offsets.size(); ++k)
    if (offsets[k] - offsets[k - 1] != step) return "";
  std::string sum = c_index(access, counter, offsets[0]);
  add_term(sum, step, "@");
  return element(program, access, sum);
}

std::string c_place_of(const program::Program& program, const program::Access& access,
                       const std::string& counter, std::size_t k) {
  return element(program, access, c_index(access, counter, access.offsets[k]));
}

std::string c_number(double number, bool is_double) {
  return fmt::format("{}{:.1f}{}", std::signbit(number) ? "-" : "", std::fabs(number),
                     is_double ? "" : "f");
}

}  // namespace reprosum::kernels::text

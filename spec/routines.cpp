// The table of routines: what they are called, and which of their operands have addresses.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "spec/addresses.h"
#include "spec/error.h"
#include "spec/names.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

struct Row {
  Routine routine;
  const char* name;  // without the letter of the type
  std::size_t places;
  std::array<const char*, kAddressPlaces> operands;  // of the places
};

constexpr std::array<Row, 4> kRows{{
    {Routine::sum, "sum", 1, {"x", "", "", "", "", ""}},
    {Routine::dot, "dot", 2, {"x", "y", "", "", "", ""}},
    {Routine::gemv, "gemv", 4, {"A", "x", "y", "lda", "", ""}},
    {Routine::gemm, "gemm", 6, {"A", "B", "C", "lda", "ldb", "ldc"}},
}};

const Row& row_of(Routine routine) {
  for (const Row& row : kRows)
    if (row.routine == routine) return row;
  throw InternalError("a routine without a row in the table of routines");
}

}  // namespace

const char* name(Routine routine) { return row_of(routine).name; }

std::optional<Routine> routine_from_name(std::string_view name) {
  for (const Row& row : kRows)
    if (name == row.name) return row.routine;
  return std::nullopt;
}

std::string blas_name(Routine routine, Type type) {
  if (!is_native(type)) return std::string(name(routine)) + "(" + name(type) + ")";
  return (is_f32(type) ? "s" : "d") + std::string(name(routine));
}

std::optional<std::pair<Routine, Type>> routine_from_blas_name(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos) {
    for (const Type type : {Type::f32, Type::f64})
      for (const Row& row : kRows)
        if (text == blas_name(row.routine, type)) return std::pair{row.routine, type};
    return std::nullopt;
  }
  if (!text.ends_with(')')) return std::nullopt;
  const auto routine = routine_from_name(std::string_view(text).substr(0, open));
  const auto type = type_from_name(std::string_view(text).substr(open + 1, text.size() - open - 2));
  if (!routine || !type || text != blas_name(*routine, *type)) return std::nullopt;
  return std::pair{*routine, *type};
}

std::size_t address_places(Routine routine) { return row_of(routine).places; }

const char* address_name(Routine routine, std::size_t place) {
  return row_of(routine).operands[place];
}

}  // namespace reprosum::spec

#include "kernels/text/c_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "kernels/text/c_conditions.h"
#include "kernels/text/c_matrix.h"
#include "kernels/text/c_order.h"
#include "kernels/text/c_program.h"
#include "spec/error.h"
#include "spec/surface.h"

namespace reprosum::kernels::text {
namespace {

using spec::Entry;
using spec::Routine;
using spec::Type;

// Before anything else: what makes a compiler keep every operation as it is written.
constexpr const char* kStart = R"(#include <float.h>
#include <math.h>
#include <stdint.h>

/* Every operation is rounded once, to nearest, in the type that it is written in. */
#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || FLT_MIN_EXP != -125 || FLT_MAX_EXP != 128 || \
    DBL_MANT_DIG != 53 || DBL_MIN_EXP != -1021 || DBL_MAX_EXP != 1024
#error "float and double are not those of IEEE 754"
#endif
#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || defined(__ASSOCIATIVE_MATH__) || \
    defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "fast-math, or a part of it, changes the bits: compile without it"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "this compiler keeps more digits than float and double have"
#endif
#if defined(__clang__)
/* Clang has no names for the parts of fast-math, but can put them off. */
#if defined(__x86_64__) || defined(__i386__)
#pragma float_control(precise, on)
#endif
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif
#if defined(__GNUC__)
#define REPROSUM_INLINE __attribute__((always_inline))
#else
#define REPROSUM_INLINE
#endif

/* GCC makes vectors of a loop over 8 to 16 lanes if it leaves it a loop until then. */
#if defined(__GNUC__) && !defined(__clang__)
#define REPROSUM_WHOLE _Pragma("GCC unroll 1")
#else
#define REPROSUM_WHOLE
#endif

/* GCC before 14 may change the sequence of several additions to one sum in a turn of a loop
 * when it makes vectors (bug 110381): there the sum passes through a place it cannot see. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
#if defined(__x86_64__)
#define REPROSUM_IN_TURN(sum) __asm__("" : "+x"(sum))
#elif defined(__aarch64__)
#define REPROSUM_IN_TURN(sum) __asm__("" : "+w"(sum))
#else
#define REPROSUM_IN_TURN(sum) __asm__("" : "+m"(sum))
#endif
#else
#define REPROSUM_IN_TURN(sum) (void)0
#endif

)";

std::string prototype(const std::string& prefix, Routine routine, Type type) {
  const char* const t = c_type(type);
  std::string text = fmt::format("int {}_{}(int threads, int64_t n, const {} *x, int64_t incx",
                                 prefix, spec::blas_name(routine, type), t);
  if (routine == Routine::dot) text += fmt::format(", const {} *y, int64_t incy", t);
  return text + fmt::format(", {} *result)", t);
}

// One routine of one type: its orders, and which of them a call has.
class CRoutine {
 public:
  CRoutine(const spec::Spec& spec, std::string prefix, Routine routine, Type type, CText& text)
      : spec_(spec), prefix_(std::move(prefix)), routine_(routine), type_(type), text_(text) {}

  std::string run() {
    for (const Entry& entry : spec_.entries)
      if (entry.routine == routine_ && entry.type == type_) add(entry);
    std::string source = kStart + fmt::format("#include \"{}.h\"\n\n", prefix_);
    source += c_helpers(helpers_, type_) + "\n" + orders_ + first();
    source += prototype(prefix_, routine_, type_) + " {\n" + without_summands();
    source += calls_ + fmt::format("  return {}_NOT_COVERED;\n}}\n", upper());
    return source;
  }

 private:
  std::string upper() const { return c_upper(prefix_); }
  // Asked of calls that the spec covers: beyond, the product need not exist.
  std::string first() const {
    return fmt::format(
        "static inline const {0} *first(const {0} *x, int64_t n, int64_t incx) {{\n"
        "  return incx < 0 ? x + (1 - n) * incx : x;\n}}\n\n",
        c_type(type_));
  }

  void add(const Entry& entry) {
    ++text_.entries;
    const std::size_t order = spec::order_of(entry);
    const std::string name = fmt::format("order{}", order);
    std::string why;
    const auto known = printed_.find(order);
    if (known != printed_.end()) {
      why = known->second;
    } else {
      try {
        Helpers helpers = helpers_;
        orders_ += c_order(spec_.orders[order], longest(spec_, routine_, type_, order), routine_,
                           type_, name, helpers);
        helpers_ = helpers;
      } catch (const UserError& error) {
        why = error.what();
      }
      printed_[order] = why;
    }
    calls_ += fmt::format("  if ({}) {{\n", c_condition(entry));
    if (why.empty()) {
      calls_ +=
          fmt::format("    *result = ({}){}(n, first(x, n, incx), incx{});\n    return {}_DONE;\n",
                      c_type(type_), name,
                      routine_ == Routine::dot ? ", first(y, n, incy), incy" : "", upper());
    } else {
      text_.missing.push_back(
          fmt::format("{}, increments {}: {}", spec::blas_name(routine_, type_),
                      spec::text_of(entry.guard.increments, routine_ == Routine::dot), why));
      calls_ += fmt::format("    return {}_NOT_PRINTED;\n", upper());
    }
    calls_ += "  }\n";
  }

  std::string without_summands() const {
    std::string text;
    for (const spec::EmptyRule& rule : spec_.empty_rules)
      if (rule.routine == routine_ && rule.type == type_) text += c_empty(rule, upper());
    return text + fmt::format("  if (n <= 0) return {}_NOT_COVERED;\n", upper());
  }

  const spec::Spec& spec_;
  const std::string prefix_;
  const Routine routine_;
  const Type type_;
  CText& text_;
  Helpers helpers_;
  std::map<std::size_t, std::string> printed_;  // orders: why one is not
  std::string orders_, calls_;
};

void check_prefix(const std::string& prefix) {
  bool good = !prefix.empty() && std::isdigit(static_cast<unsigned char>(prefix[0])) == 0;
  for (const char c : prefix)
    good = good && (c == '_' || (static_cast<unsigned char>(c) < 128 &&
                                 std::isalnum(static_cast<unsigned char>(c)) != 0));
  if (!good) throw UserError("\"" + prefix + "\" is no C identifier");
}

std::string origin(const spec::Spec& spec) {
  return fmt::format("/* Generated by reprosum from the spec {}. */\n", spec::meaning_hash(spec));
}

std::string header(const spec::Spec& spec, const std::vector<std::string>& prototypes,
                   const std::string& upper) {
  std::string text = origin(spec);
  text += fmt::format(
      "#ifndef {0}_H\n#define {0}_H\n\n#include <stdint.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
      "/*\n * The routines of a captured library, in its order of additions, bit for bit.\n"
      " * threads: the captured library's thread count that is replayed; the calls here use one.\n"
      " * Matrices are column-major with leading dimensions, transposes are 0 or 1.\n"
      " * Increments are BLAS's: a negative one starts at the far end, x is the lowest address.\n"
      " * The floating-point environment has to be the default one: rounding to nearest, "
      "subnormal\n"
      " * numbers kept. The text refuses compilers that are told otherwise; only clang's\n"
      " * -ffp-contract=fast is stronger than any text and changes bits.\n"
      " * Every function returns one of these, and writes nothing unless it is the first:\n */\n"
      "enum {{\n  {0}_DONE = 0,\n"
      "  {0}_NOT_COVERED = 1, /* the capture does not say, or BLAS takes no such argument */\n"
      "  {0}_NOT_PRINTED = 2  /* the order has no C text */\n}};\n\n",
      upper);
  for (const std::string& line : prototypes) text += line + ";\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string cmake(const std::string& prefix, const std::vector<CFile>& files) {
  std::string sources;
  for (const CFile& file : files)
    if (file.name.ends_with(".c")) sources += " " + file.name;
  return fmt::format(
      "cmake_minimum_required(VERSION 3.13)\nproject({0} C)\n\n"
      "# Optimised unless told otherwise; nothing that changes bits is ever passed.\n"
      "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n\n"
      "add_library({0}{1})\n"
      "set_target_properties({0} PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)\n"
      "target_include_directories({0} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})\n"
      "target_compile_options({0} PRIVATE -ffp-contract=off -fno-fast-math)\n"
      "target_link_libraries({0} PUBLIC m)\n",
      prefix, sources);
}

std::set<std::pair<Routine, Type>> other_types(const spec::Spec& spec) {
  std::set<std::pair<Routine, Type>> found;
  for (const auto& entry : spec.entries)
    if (!spec::is_native(entry.type)) found.emplace(entry.routine, entry.type);
  return found;
}

}  // namespace

CText c_text(const spec::Spec& spec, const std::string& prefix) {
  check_prefix(prefix);
  CText text;
  std::vector<std::string> prototypes;
  for (const Routine routine : {Routine::sum, Routine::dot})
    for (const Type type : {Type::f32, Type::f64}) {
      const std::size_t before = text.entries;
      std::string source = CRoutine(spec, prefix, routine, type, text).run();
      if (text.entries == before) continue;
      text.files.push_back(
          {fmt::format("{}_{}.c", prefix, spec::blas_name(routine, type)), origin(spec) + source});
      prototypes.push_back(prototype(prefix, routine, type));
    }
  for (const Routine routine : {Routine::gemv, Routine::gemm})
    for (const Type type : {Type::f32, Type::f64}) {
      const std::string source = c_matrix(spec, prefix, routine, type, text.missing, text.entries);
      if (source.empty()) continue;
      text.files.push_back(
          {fmt::format("{}_{}.c", prefix, spec::blas_name(routine, type)),
           origin(spec) + kStart + fmt::format("#include \"{}.h\"\n\n", prefix) + source});
      prototypes.push_back(c_matrix_prototype(prefix, routine, type));
    }
  for (const auto& [routine, type] : other_types(spec)) {
    ++text.entries;
    text.missing.push_back(spec::blas_name(routine, type) + ": C text is printed for f32 and f64");
  }
  text.files.push_back({prefix + ".h", header(spec, prototypes, c_upper(prefix))});
  text.files.push_back({"CMakeLists.txt", cmake(prefix, text.files)});
  return text;
}

}  // namespace reprosum::kernels::text

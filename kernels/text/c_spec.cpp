#include "kernels/text/c_spec.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
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
constexpr const char* kStart =
    "#include <math.h>\n#include <stdint.h>\n\n"
    "/* Every operation is rounded once, to nearest, in the type that it is written in. */\n"
    "#if defined(__FAST_MATH__)\n#error \"fast-math changes the bits: compile without "
    "it\"\n#endif\n"
    "#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16\n"
    "#error \"this compiler keeps more digits than float and double have\"\n#endif\n"
    "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n"
    "#elif defined(__GNUC__)\n#pragma GCC optimize(\"fp-contract=off\")\n"
    "#else\n#pragma STDC FP_CONTRACT OFF\n#endif\n"
    "#if defined(__GNUC__)\n#define REPROSUM_INLINE __attribute__((always_inline))\n"
    "#else\n#define REPROSUM_INLINE\n#endif\n\n"
    "/* GCC makes vectors of a loop over 8 to 16 lanes if it leaves it a loop until then. */\n"
    "#if defined(__GNUC__) && !defined(__clang__)\n"
    "#define REPROSUM_WHOLE _Pragma(\"GCC unroll 1\")\n#else\n#define REPROSUM_WHOLE\n#endif\n\n"
    "/* GCC before 14 may change the sequence of several additions to one sum in a turn of a loop\n"
    " * when it makes vectors (bug 110381): there the sum passes through a place it cannot see. "
    "*/\n"
    "#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14\n"
    "#if defined(__x86_64__)\n#define REPROSUM_IN_TURN(sum) __asm__(\"\" : \"+x\"(sum))\n"
    "#elif defined(__aarch64__)\n#define REPROSUM_IN_TURN(sum) __asm__(\"\" : \"+w\"(sum))\n"
    "#else\n#define REPROSUM_IN_TURN(sum) __asm__(\"\" : \"+m\"(sum))\n#endif\n"
    "#else\n#define REPROSUM_IN_TURN(sum) (void)0\n#endif\n\n";

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
    source += c_helpers(helpers_, type_) + "\n" + orders_;
    source += prototype(prefix_, routine_, type_) + " {\n" + without_summands();
    source += "  const " + first("x") + ";\n";
    if (routine_ == Routine::dot) source += "  const " + first("y") + ";\n";
    source += calls_ + fmt::format("  return {}_NOT_COVERED;\n}}\n", upper());
    return source;
  }

 private:
  std::string upper() const { return c_upper(prefix_); }
  std::string first(const char* vector) const {
    return fmt::format("{0} *const {1}0 = inc{1} < 0 ? {1} + (1 - n) * inc{1} : {1}", c_type(type_),
                       vector);
  }

  void add(const Entry& entry) {
    ++text_.entries;
    const std::string name = fmt::format("order{}", entry.order);
    std::string why;
    const auto known = printed_.find(entry.order);
    if (known != printed_.end()) {
      why = known->second;
    } else {
      try {
        Helpers helpers = helpers_;
        orders_ += c_order(spec_.orders[entry.order], routine_, type_, name, helpers);
        helpers_ = helpers;
      } catch (const UserError& error) {
        why = error.what();
      }
      printed_[entry.order] = why;
    }
    calls_ += fmt::format("  if ({}) {{\n", c_condition(entry));
    if (why.empty()) {
      calls_ +=
          fmt::format("    *result = ({}){}(n, x0, incx{});\n    return {}_DONE;\n", c_type(type_),
                      name, routine_ == Routine::dot ? ", y0, incy" : "", upper());
    } else {
      text_.missing.push_back(
          fmt::format("{}, increments {}: {}", spec::blas_name(routine_, type_),
                      spec::text_of(entry.guard.increments, routine_ == Routine::dot), why));
      calls_ += fmt::format("    return {}_NOT_PRINTED;\n", upper());
    }
    calls_ += "  }\n";
  }

  std::string without_summands() const {
    std::string text = "  if (n <= 0) {\n";
    for (const spec::EmptySum& rule : spec_.empty_sums) {
      if (rule.routine != routine_ || rule.type != type_) continue;
      const auto value = [](spec::Zero zero) { return zero == spec::Zero::minus ? "-0.0" : "0.0"; };
      text += fmt::format(
          "    if ({}{}) {{\n      *result = {};\n      return {}_DONE;\n    }}\n",
          c_threads(rule.threads), rule.below_zero ? "" : " && n == 0",
          rule.below_zero && *rule.below_zero != rule.at_zero
              ? fmt::format("n < 0 ? {} : {}", value(*rule.below_zero), value(rule.at_zero))
              : value(rule.at_zero),
          upper());
    }
    return text + fmt::format("    return {}_NOT_COVERED;\n  }}\n", upper());
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
      " * numbers kept. Every function returns one of:\n */\n"
      "enum {{\n  {0}_DONE = 0,\n  {0}_NOT_COVERED = 1, /* the capture does not say: *result is as "
      "it "
      "was */\n  {0}_NOT_PRINTED = 2  /* the order has no C text: *result is as it was */\n}};\n\n",
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
  text.files.push_back({prefix + ".h", header(spec, prototypes, c_upper(prefix))});
  text.files.push_back({"CMakeLists.txt", cmake(prefix, text.files)});
  return text;
}

}  // namespace reprosum::kernels::text

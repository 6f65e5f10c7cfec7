#include "kernels/device/self_test.h"

#include <fmt/format.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace reprosum::kernels::device {
namespace {

// One result of three operands: in the words of a refusal, in the text, and here. TYPE and the
// suffix of the operations are put in for T and @.
struct Operation {
  const char* words;
  const char* text;
};
constexpr Operation kOperations[] = {
    {"a*b + c, rounded twice,", "ADD@(MUL@(a, b), c)"},
    {"fma(a, b, c), rounded once,", "FMA@(a, b, c)"},
    {"a*b", "MUL@(a, b)"},
    {"a + b", "ADD@(a, b)"},
    {"a / b", "a / b"},
    {"((a + b) - a) - b, which must not be rearranged,", "ADD@(ADD@(ADD@(a, b), -a), -b)"},
    {"a + 0", "ADD@(a, 0)"},
    {"a == 0 ? b : c, of subnormal a as well,", "a == 0 ? b : c"},
    {"a != a ? b : c, of NaN,", "a != a ? b : c"},
};
constexpr std::size_t kCount = std::size(kOperations);
constexpr std::int64_t kGroup = 64;
constexpr std::size_t kTriples = 64 * kGroup;

template <class T>
std::vector<T> on_this_processor(T a, T b, T c) {
  // As written: this project is compiled without contraction.
  volatile T product = a * b, sum = a + b, back = sum - a;
  return {product + c,    std::fma(a, b, c),    product, sum, a / b, back - b, a + T{0},
          a == 0 ? b : c, std::isnan(a) ? b : c};
}

template <class T>
T hostile(std::mt19937_64& random, int kind) {
  constexpr bool is_f32 = sizeof(T) == 4;
  using Bits = std::conditional_t<is_f32, std::uint32_t, std::uint64_t>;
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
  const T sign = (random() & 1) != 0 ? T{-1} : T{1};
  const T near_one = T{1} + static_cast<T>(below(4096)) * std::numeric_limits<T>::epsilon();
  switch (kind) {
    case 0:  // few bits: ties and exact results
      return sign * static_cast<T>(below(64)) / 8;
    case 1:  // products of these are a hair beside a tie
      return sign * near_one;
    case 2:  // around the smallest normal number
      return sign * std::ldexp(near_one, std::numeric_limits<T>::min_exponent - 1 - below(30));
    case 3:  // their products are subnormal
      return sign * std::ldexp(near_one, (std::numeric_limits<T>::min_exponent - 1) / 2 - below(9));
    case 4:
      return sign * std::ldexp(near_one, std::numeric_limits<T>::max_exponent - 1 - below(3));
    case 5: {
      constexpr T kSpecial[] = {T{0},
                                std::numeric_limits<T>::infinity(),
                                std::numeric_limits<T>::quiet_NaN(),
                                std::numeric_limits<T>::denorm_min(),
                                std::numeric_limits<T>::min(),
                                std::numeric_limits<T>::max()};
      return sign * kSpecial[below(std::size(kSpecial))];
    }
    default:  // any bits
      return std::bit_cast<T>(static_cast<Bits>(random()));
  }
}

template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

// The processor as its manual says, whatever the caller has set.
class DefaultEnvironment {
 public:
  DefaultEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultEnvironment() { std::fesetenv(&before_); }
  DefaultEnvironment(const DefaultEnvironment&) = delete;
  DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;

 private:
  std::fenv_t before_;
};

std::string text_of(const std::string& macros, bool is_f32) {
  std::string text =
      macros + fmt::format(
                   "\nKERNEL({0}) void self_test(GLOBAL const {1} *x, GLOBAL {1} *out) {{\n"
                   "  const I64 i = GROUP * {0} + ITEM;\n"
                   "  const {1} a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];\n",
                   kGroup, is_f32 ? "float" : "double");
  for (std::size_t k = 0; k < kCount; ++k) {
    std::string operation = kOperations[k].text;
    for (std::size_t at = 0; (at = operation.find('@')) != std::string::npos;)
      operation[at] = is_f32 ? 'F' : 'D';
    text += fmt::format("  out[{} * i + {}] = {};\n", kCount, k, operation);
  }
  return text + "}\n";
}

std::string narrowing_text(const std::string& macros) {
  return macros +
         fmt::format(
             "\nKERNEL({0}) void self_test(GLOBAL const double *x, GLOBAL double *out) {{\n"
             "  const I64 i = GROUP * {0} + ITEM;\n"
             "  for (int k = 0; k < 3; ++k) out[{1} * i + k] = NARROW(x[3 * i + k]);\n"
             "  for (int k = 3; k < {1}; ++k) out[{1} * i + k] = 0;\n}}\n",
             kGroup, kCount);
}

template <class T>
std::vector<T> run(const Compile& compile, Device& device, const std::string& text,
                   const std::vector<T>& x) {
  const auto program = compile(text);
  const auto queue = device.make_queue();
  std::vector<T> out(x.size() / 3 * kCount);
  const auto operands = device.allocate(x.size() * sizeof(T));
  const auto results = device.allocate(out.size() * sizeof(T));
  queue->write(*operands, 0, x.data(), x.size() * sizeof(T));
  queue->launch(*program, "self_test", {static_cast<std::int64_t>(x.size()) / 3 / kGroup}, {kGroup},
                std::vector<Argument>{operands.get(), results.get()});
  queue->read(*results, 0, out.data(), out.size() * sizeof(T));
  return out;
}

template <class T>
std::string operations(const Compile& compile, Device& device, const std::string& text) {
  constexpr bool is_f32 = sizeof(T) == 4;
  std::mt19937_64 random(20'26);
  std::vector<T> x;
  for (std::size_t k = 0; k < kTriples; ++k)
    for (int place = 0; place < 3; ++place)
      x.push_back(hostile<T>(random, static_cast<int>(place == 2 ? random() % 7 : k / 3 % 7)));
  // c of every third triple nearly cancels the product: the difference shows how it was rounded.
  for (std::size_t k = 0; k < kTriples; k += 3) x[3 * k + 2] = -(x[3 * k] * x[3 * k + 1]);
  const std::vector<T> out = run(compile, device, text, x);
  for (std::size_t k = 0; k < kTriples; ++k) {
    const std::vector<T> right = on_this_processor(x[3 * k], x[3 * k + 1], x[3 * k + 2]);
    for (std::size_t place = 0; place < kCount; ++place)
      if (!same(right[place], out[kCount * k + place]))
        return fmt::format("{} {} is {:a} for a = {:a}, b = {:a}, c = {:a}, not {:a}",
                           is_f32 ? "float:" : "double:", kOperations[place].words,
                           out[kCount * k + place], x[3 * k], x[3 * k + 1], x[3 * k + 2],
                           right[place]);
  }
  return "";
}

std::string narrowing(const Compile& compile, Device& device, const std::string& text) {
  std::mt19937_64 random(20'27);
  std::vector<double> x;
  for (std::size_t k = 0; k < 3 * kTriples; ++k) {
    const auto narrow = hostile<float>(random, static_cast<int>(random() % 7));
    // A float, a tie, a hair beside it, or anything.
    const double half = 0.5 * std::nextafter(narrow, HUGE_VALF) + 0.5 * narrow;
    const double choices[] = {narrow, half, std::nextafter(half, 0.0),
                              hostile<double>(random, static_cast<int>(random() % 7))};
    x.push_back(choices[random() % 4]);
  }
  const std::vector<double> out = run(compile, device, text, x);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double right = static_cast<float>(x[k]), there = out[k / 3 * kCount + k % 3];
    if (!same(right, there))
      return fmt::format("double {:a} rounds to the float {:a}, not to {:a}", x[k], there, right);
  }
  return "";
}

}  // namespace

SelfTestTexts self_test_texts(const std::string& macros) {
  return {text_of(macros, true), text_of(macros, false), narrowing_text(macros)};
}

std::string self_test(const Compile& compile, Device& device, const std::string& macros) {
  const DefaultEnvironment environment;
  const SelfTestTexts texts = self_test_texts(macros);
  std::string wrong = operations<float>(compile, device, texts.f32);
  if (!device.facts().has_f64) return wrong;
  if (wrong.empty()) wrong = operations<double>(compile, device, texts.f64);
  if (wrong.empty()) wrong = narrowing(compile, device, texts.narrowing);
  return wrong;
}

}  // namespace reprosum::kernels::device

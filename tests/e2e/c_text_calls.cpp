// c_text_calls SPEC PREFIX THREADS CALLS SEED TEXT.so ...: random calls of the compiled C text of a
// spec, beside the library that replays the spec. Each TEXT.so gets calls of its own.
//
// Prints a line per text and routine: calls, those that are covered, outputs, and how many differ.
// Exit code 1: an output differs, or the text refuses what the library replays, or the other way
// round.
#include <dlfcn.h>
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "spec/error.h"
#include "spec/surface.h"
#include "src/runtime/errors.h"
#include "src/runtime/replayer.h"

namespace reprosum {
namespace {

using runtime::MatrixCall;
using runtime::Replayer;
using spec::Routine;
using spec::Trans;

constexpr int kDone = 0, kNotCovered = 1, kNotPrinted = 2;

struct Tally {
  std::int64_t calls = 0, covered = 0, outputs = 0, differ = 0, other_coverage = 0, not_printed = 0;
};

template <class T>
bool same(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b) || (std::isnan(a) && std::isnan(b));
}

template <class T>
class Calls {
 public:
  Calls(const Replayer& replayer, void* text, std::string prefix, int threads, std::uint64_t seed)
      : replayer_(replayer),
        text_(text),
        prefix_(std::move(prefix)),
        threads_(threads),
        random_(seed) {}

  // nullopt: the text does not have the routine.
  bool run(Routine routine, std::int64_t calls, Tally& tally) {
    const spec::Type type = spec::type_of<T>();
    function_ = dlsym(text_, (prefix_ + "_" + spec::blas_name(routine, type)).c_str());
    if (function_ == nullptr) return false;
    for (std::int64_t k = 0; k < calls; ++k) {
      special_ = pick(4) == 0;
      switch (routine) {
        case Routine::sum:
        case Routine::dot:
          vectors(routine == Routine::dot, tally);
          break;
        case Routine::gemv:
          gemv(tally);
          break;
        case Routine::gemm:
          gemm(tally);
          break;
      }
    }
    return true;
  }

 private:
  std::int64_t pick(std::int64_t below) {
    return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_);
  }
  // Mostly small, some larger ones, none now and then.
  std::int64_t size(std::int64_t most) {
    const std::int64_t kind = pick(12);
    return kind == 0 ? pick(2) : kind < 8 ? 1 + pick(24) : 1 + pick(most);
  }
  T number() {
    static constexpr T kSpecial[] = {0,
                                     -T(0),
                                     std::numeric_limits<T>::infinity(),
                                     -std::numeric_limits<T>::infinity(),
                                     std::numeric_limits<T>::quiet_NaN(),
                                     std::numeric_limits<T>::denorm_min(),
                                     std::numeric_limits<T>::max()};
    if (special_ && pick(12) == 0) return kSpecial[pick(7)];
    const T v = std::normal_distribution<T>()(random_);
    return pick(3) == 0 ? std::ldexp(v, static_cast<int>(pick(40)) - 20) : v;
  }
  T scalar() {
    static constexpr T kOften[] = {0, -T(0), 1, -1, T(0.75)};
    return pick(2) == 0 ? kOften[pick(5)] : special_ ? number() : T(pick(100)) / 16;
  }
  std::int64_t increment() {
    const std::int64_t kind = pick(6);
    return kind < 3 ? 1 : kind == 3 ? -1 : kind == 4 ? 2 + pick(5) : -2 - pick(5);
  }
  std::vector<T> numbers(std::int64_t count) {
    std::vector<T> made(static_cast<std::size_t>(std::max<std::int64_t>(count, 1) + 16));
    for (T& v : made) v = number();
    return made;
  }

  template <class Library, class Text>
  void compare(std::vector<T>& c, Tally& tally, Library library, Text text) {
    ++tally.calls;
    std::vector<T> got = c;
    bool covered = true;
    try {
      library(c);
    } catch (const runtime::NotCovered&) {
      covered = false;
    } catch (const runtime::BadArgument&) {
      covered = false;
    }
    const int code = text(got);
    if (code == kNotPrinted) {
      ++tally.not_printed;
      return;
    }
    if ((code == kDone) != covered) ++tally.other_coverage;
    if (code != kDone || !covered) return;
    ++tally.covered;
    tally.outputs += static_cast<std::int64_t>(c.size());
    for (std::size_t k = 0; k < c.size(); ++k) tally.differ += !same(c[k], got[k]);
  }

  void vectors(bool has_y, Tally& tally) {
    const std::int64_t n = size(3000), incx = increment(), incy = has_y ? increment() : 0;
    const auto x = numbers(n * std::abs(incx)), y = numbers(n * std::abs(incy));
    const T *const px = x.data() + pick(8), *const py = y.data() + pick(8);
    std::vector<T> out{T(12345)};
    compare(
        out, tally,
        [&](std::vector<T>& to) {
          to[0] = replayer_.call<T>(has_y ? Routine::dot : Routine::sum, n, px, incx, py, incy);
        },
        [&](std::vector<T>& to) {
          if (!has_y)
            return reinterpret_cast<int (*)(int, std::int64_t, const T*, std::int64_t, T*)>(
                function_)(threads_, n, px, incx, to.data());
          return reinterpret_cast<int (*)(int, std::int64_t, const T*, std::int64_t, const T*,
                                          std::int64_t, T*)>(function_)(threads_, n, px, incx, py,
                                                                        incy, to.data());
        });
  }

  void gemv(Tally& tally) {
    MatrixCall<T> call;
    call.routine = Routine::gemv;
    call.trans_a = pick(2) == 0 ? Trans::no : Trans::yes;
    call.m = size(90);
    call.n = size(90);
    call.alpha = scalar();
    call.beta = scalar();
    call.lda = std::max<std::int64_t>(1, call.m) + (pick(2) == 0 ? 0 : pick(9));
    call.ldb = increment();
    call.ldc = increment();
    if (pick(30) == 0) (pick(3) == 0 ? call.lda : pick(2) == 0 ? call.ldb : call.ldc) = 0;
    const auto a = numbers(call.lda * call.n), x = numbers(90 * std::abs(call.ldb));
    auto y = numbers(90 * std::abs(call.ldc));
    call.a = a.data() + pick(8);
    call.b = x.data() + pick(8);
    const std::int64_t at = pick(8);
    compare(
        y, tally,
        [&](std::vector<T>& to) {
          call.c = to.data() + at;
          replayer_.product(call);
        },
        [&](std::vector<T>& to) {
          return reinterpret_cast<int (*)(int, int, std::int64_t, std::int64_t, T, const T*,
                                          std::int64_t, const T*, std::int64_t, T, T*,
                                          std::int64_t)>(function_)(
              threads_, call.trans_a == Trans::yes, call.m, call.n, call.alpha, call.a, call.lda,
              call.b, call.ldb, call.beta, to.data() + at, call.ldc);
        });
  }

  void gemm(Tally& tally) {
    MatrixCall<T> call;
    call.trans_a = pick(2) == 0 ? Trans::no : Trans::yes;
    call.trans_b = pick(2) == 0 ? Trans::no : Trans::yes;
    call.m = size(60);
    call.n = size(60);
    call.k = size(400);
    call.alpha = scalar();
    call.beta = scalar();
    const auto leading = [&](std::int64_t rows) {
      return std::max<std::int64_t>(1, rows) + (pick(2) == 0 ? 0 : pick(9));
    };
    const bool ta = call.trans_a == Trans::yes, tb = call.trans_b == Trans::yes;
    call.lda = leading(ta ? call.k : call.m);
    call.ldb = leading(tb ? call.n : call.k);
    call.ldc = leading(call.m);
    if (pick(30) == 0) (pick(3) == 0 ? call.lda : pick(2) == 0 ? call.ldb : call.ldc) /= 2;
    const auto a = numbers(call.lda * (ta ? call.m : call.k));
    const auto b = numbers(call.ldb * (tb ? call.k : call.n));
    auto c = numbers(call.ldc * call.n);
    call.a = a.data() + pick(8);
    call.b = b.data() + pick(8);
    const std::int64_t at = pick(8);
    compare(
        c, tally,
        [&](std::vector<T>& to) {
          call.c = to.data() + at;
          replayer_.product(call);
        },
        [&](std::vector<T>& to) {
          return reinterpret_cast<int (*)(int, int, int, std::int64_t, std::int64_t, std::int64_t,
                                          T, const T*, std::int64_t, const T*, std::int64_t, T, T*,
                                          std::int64_t)>(function_)(
              threads_, ta, tb, call.m, call.n, call.k, call.alpha, call.a, call.lda, call.b,
              call.ldb, call.beta, to.data() + at, call.ldc);
        });
  }

  const Replayer& replayer_;
  void* const text_;
  const std::string prefix_;
  const int threads_;
  std::mt19937_64 random_;
  void* function_ = nullptr;
  bool special_ = false;
};

template <class T>
bool run_all(const Replayer& replayer, void* text, const char* prefix, int threads,
             std::int64_t calls, std::uint64_t seed) {
  bool good = true;
  for (const Routine routine : {Routine::sum, Routine::dot, Routine::gemv, Routine::gemm}) {
    Tally t;
    Calls<T> all(replayer, text, prefix, threads, seed);
    if (!all.run(routine, calls, t)) continue;
    fmt::print(
        "{}: seed {}, {} calls, {} covered, {} outputs, {} differ, {} covered by one alone, "
        "{} not printed\n",
        spec::blas_name(routine, spec::type_of<T>()), seed, t.calls, t.covered, t.outputs, t.differ,
        t.other_coverage, t.not_printed);
    good = good && t.differ == 0 && t.other_coverage == 0 && t.covered * 3 > t.calls;
  }
  return good;
}

int run(char** arguments) {
  std::ifstream file(arguments[1]);
  std::stringstream json;
  json << file.rdbuf();
  Replayer replayer(spec::from_json(json.str()), "");
  const char* const prefix = arguments[2];
  const int threads = std::atoi(arguments[3]);
  replayer.set_threads(threads);
  const std::int64_t calls = std::atoll(arguments[4]);
  auto seed = static_cast<std::uint64_t>(std::atoll(arguments[5]));
  bool good = true;
  for (char** path = arguments + 6; *path != nullptr; ++path, seed += 2) {
    fmt::print("{}\n", *path);
    void* const text = dlopen(*path, RTLD_NOW | RTLD_LOCAL);
    if (text == nullptr) throw EnvironmentError(dlerror());
    good = run_all<float>(replayer, text, prefix, threads, calls, seed) && good;
    good = run_all<double>(replayer, text, prefix, threads, calls, seed + 1) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace reprosum

int main(int argc, char** argv) {
  if (argc < 7) {
    fmt::print(stderr, "usage: c_text_calls SPEC PREFIX THREADS CALLS SEED TEXT.so ...\n");
    return 2;
  }
  try {
    return reprosum::run(argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}

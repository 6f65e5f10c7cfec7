// degenerate_calls DROP_IN LIBRARY ROUTINES CALLS SEED: random calls of a BLAS library and of the
// drop-in that replays it (REPROSUM_SPEC), one after the other in this process, on the same memory.
//
// Every scalar is 0, -0, 1, -1, a NaN, an Inf, tiny, huge or ordinary; A, B and C hold some of the
// same; sizes are small and often 0, some of hundreds and thousands; increments and leading
// dimensions reach to 10^4, addresses are any; both faces and layouts. Outputs must have equal
// bits, any NaN being equal to any other, and nothing beside them may be written. A refused call
// must leave NaN in what the library changes. Prints the calls, those refused, the outputs that
// were compared and the first differences of each routine; exit code 1 if there is one.
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/e2e/random_calls.h"

namespace {

using namespace reprosum::e2e;

constexpr int kRowMajor = 101, kColumnMajor = 102, kPlain = 111, kTransposed = 112;
constexpr int kLongestVector = 5000, kLargestOfGemv = 600, kLargestOfGemm = 120;

int refusals = 0;

struct Counts {
  long calls = 0, refused = 0, outputs = 0, different = 0;
};

template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

struct Library {
  void* handle = nullptr;
  template <class Function>
  Function function(const std::string& name) const {
    return reinterpret_cast<Function>(dlsym(handle, name.c_str()));
  }
};

std::string name_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

template <class T>
class Calls {
 public:
  Calls(const Library& drop_in, const Library& library, std::map<std::string, Counts>& counts)
      : drop_in_(drop_in), library_(library), counts_(counts) {}

  void dot(bool is_sum) {
    const bool cblas = below(2) == 0;
    const int n = below(16) == 0 ? -below(5) : size(kLongestVector);
    const int incx = increment(n), incy = increment(n);
    const std::string name =
        (cblas ? "cblas_" : "") + routine(is_sum ? "sum" : "dot") + (cblas ? "" : "_");
    const Vector<T> x(span(n, incx)), y(span(n, incy));
    const auto run = [&](const Library& from) -> T {
      if (is_sum && cblas) return from.function<T (*)(int, const T*, int)>(name)(n, x.data(), incx);
      if (is_sum)
        return from.function<T (*)(const int*, const T*, const int*)>(name)(&n, x.data(), &incx);
      if (cblas)
        return from.function<T (*)(int, const T*, int, const T*, int)>(name)(n, x.data(), incx,
                                                                             y.data(), incy);
      return from.function<T (*)(const int*, const T*, const int*, const T*, const int*)>(name)(
          &n, x.data(), &incx, y.data(), &incy);
    };
    if (library_.function<void*>(name) == nullptr) return;
    std::vector<T> c(1);
    judge(
        routine(is_sum ? "sum" : "dot"),
        name + " n=" + std::to_string(n) + " incx=" + std::to_string(incx) +
            " incy=" + std::to_string(incy),
        c, 1, [&] { c[0] = run(library_); }, [&] { c[0] = run(drop_in_); }, true);
  }

  void gemv() {
    const bool cblas = below(2) == 0, rows = cblas && below(2) == 0;
    const int trans = below(2) == 0 ? kPlain : kTransposed;
    const int m = size(kLargestOfGemv), n = size(kLargestOfGemv);
    const int lda = rows ? leading(n, m) : leading(m, n);
    const int summands = trans == kPlain ? n : m, outputs = trans == kPlain ? m : n;
    const int incx = nonzero_increment(summands), incy = nonzero_increment(outputs);
    const T alpha = scalar<T>(), beta = scalar<T>();
    const Vector<T> a(static_cast<std::size_t>(lda) * static_cast<std::size_t>(rows ? m : n));
    const Vector<T> x(span(summands, incx));
    Vector<T> y(span(outputs, incy));
    const std::string name = (cblas ? "cblas_" : "") + routine("gemv") + (cblas ? "" : "_");
    const auto run = [&](const Library& from) {
      if (cblas)
        return from
            .function<void (*)(int, int, int, int, T, const T*, int, const T*, int, T, T*, int)>(
                name)(rows ? kRowMajor : kColumnMajor, trans, m, n, alpha, a.data(), lda, x.data(),
                      incx, beta, y.data(), incy);
      const char letter = trans == kPlain ? 'N' : 'T';
      from.function<void (*)(const char*, const int*, const int*, const T*, const T*, const int*,
                             const T*, const int*, const T*, T*, const int*, std::size_t)>(name)(
          &letter, &m, &n, &alpha, a.data(), &lda, x.data(), &incx, &beta, y.data(), &incy, 1);
    };
    judge(
        routine("gemv"),
        name + (rows ? " by rows" : "") + (trans == kPlain ? " N" : " T") + sizes(m, n, -1) +
            " lda=" + std::to_string(lda) + " incx=" + std::to_string(incx) +
            " incy=" + std::to_string(incy) + scalars(alpha, beta),
        y.all(), outputs, [&] { run(library_); }, [&] { run(drop_in_); }, false);
  }

  void gemm() {
    const bool cblas = below(2) == 0, rows = cblas && below(2) == 0;
    const int transa = below(2) == 0 ? kPlain : kTransposed;
    const int transb = below(2) == 0 ? kPlain : kTransposed;
    const int m = size(kLargestOfGemm), n = size(kLargestOfGemm), k = size(kLargestOfGemm);
    const auto lead = [&](int down, int across) {
      return rows ? leading(across, down) : leading(down, across);
    };
    const auto stored = [&](int trans, int down, int across) {
      return trans == kPlain ? std::pair{down, across} : std::pair{across, down};
    };
    const auto [a_down, a_across] = stored(transa, m, k);
    const auto [b_down, b_across] = stored(transb, k, n);
    const int lda = lead(a_down, a_across), ldb = lead(b_down, b_across), ldc = lead(m, n);
    const T alpha = scalar<T>(), beta = scalar<T>();
    const auto count = [&](int ld, int down, int across) {
      return static_cast<std::size_t>(ld) * static_cast<std::size_t>(rows ? down : across);
    };
    const Vector<T> a(count(lda, a_down, a_across)), b(count(ldb, b_down, b_across));
    Vector<T> c(count(ldc, m, n));
    const std::string name = (cblas ? "cblas_" : "") + routine("gemm") + (cblas ? "" : "_");
    const auto run = [&](const Library& from) {
      if (cblas)
        return from.function<void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int,
                                      T, T*, int)>(name)(rows ? kRowMajor : kColumnMajor, transa,
                                                         transb, m, n, k, alpha, a.data(), lda,
                                                         b.data(), ldb, beta, c.data(), ldc);
      const char la = transa == kPlain ? 'N' : 'T', lb = transb == kPlain ? 'N' : 'T';
      from.function<void (*)(const char*, const char*, const int*, const int*, const int*, const T*,
                             const T*, const int*, const T*, const int*, const T*, T*, const int*,
                             std::size_t, std::size_t)>(name)(&la, &lb, &m, &n, &k, &alpha,
                                                              a.data(), &lda, b.data(), &ldb, &beta,
                                                              c.data(), &ldc, 1, 1);
    };
    judge(
        routine("gemm"),
        name + (rows ? " by rows " : " ") + (transa == kPlain ? "N" : "T") +
            (transb == kPlain ? "N" : "T") + sizes(m, n, k) + " ld=" + std::to_string(lda) + "," +
            std::to_string(ldb) + "," + std::to_string(ldc) + scalars(alpha, beta),
        c.all(), m * n, [&] { run(library_); }, [&] { run(drop_in_); }, false);
  }

 private:
  static std::string routine(const char* rest) {
    return std::string(sizeof(T) == 4 ? "s" : "d") + rest;
  }
  static std::size_t span(int n, int inc) {
    return n <= 0 ? 1 : static_cast<std::size_t>((n - 1) * std::abs(inc) + 1);
  }
  static std::string sizes(int m, int n, int k) {
    return " m=" + std::to_string(m) + " n=" + std::to_string(n) +
           (k < 0 ? "" : " k=" + std::to_string(k));
  }
  static std::string scalars(T alpha, T beta) {
    return " alpha=" + name_of(static_cast<double>(alpha)) +
           " beta=" + name_of(static_cast<double>(beta));
  }

  // `memory` before a call is what it was before the first one.
  template <class First, class Second>
  void judge(const std::string& routine, const std::string& call, std::vector<T>& memory,
             int outputs, First library, Second drop_in, bool is_result) {
    const std::vector<T> before = memory;
    library();
    std::vector<T> expected = memory;
    std::copy(before.begin(), before.end(), memory.begin());
    const int refused_before = refusals;
    drop_in();
    Counts& counts = counts_[routine];
    ++counts.calls;
    const bool is_refused = refusals > refused_before;
    counts.refused += is_refused;
    if (is_refused && is_result) return;
    if (!is_refused) counts.outputs += outputs;
    for (std::size_t at = 0; is_refused && at < memory.size(); ++at)
      if (!same(before[at], expected[at])) expected[at] = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t at = 0; at < memory.size(); ++at) {
      if (same(memory[at], expected[at])) continue;
      // Written, maybe with what was there.
      if (is_refused && std::isnan(memory[at])) continue;
      if (++counts.different <= 8)
        std::printf("%s: element %zu was %a, is %a, should be %a\n", call.c_str(), at,
                    static_cast<double>(before[at]), static_cast<double>(memory[at]),
                    static_cast<double>(expected[at]));
      return;
    }
  }

  const Library& drop_in_;
  const Library& library_;
  std::map<std::string, Counts>& counts_;
};

}  // namespace

// Called where a call is refused, by the drop-in alone: no argument here is forbidden.
extern "C" __attribute__((visibility("default"))) void xerbla_(const char*, const int*,
                                                               std::size_t) {
  ++refusals;
}

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const Library drop_in{dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL)};
  const Library library{dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL)};
  if (drop_in.handle == nullptr || library.handle == nullptr) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  const std::string routines = arguments[3];
  generator.seed(std::strtoull(arguments[5], nullptr, 10));
  std::printf("seed %s\n", arguments[5]);
  std::map<std::string, Counts> counts;
  Calls<float> f32(drop_in, library, counts);
  Calls<double> f64(drop_in, library, counts);
  const auto call = [&](auto& calls, const std::string& routine) {
    if (routine == "gemm") return calls.gemm();
    if (routine == "gemv") return calls.gemv();
    calls.dot(routine == "sum");
  };
  std::vector<std::string> names;
  for (const char* name : {"ssum", "dsum", "sdot", "ddot", "sgemv", "dgemv", "sgemm", "dgemm"})
    if (routines.find(name) != std::string::npos) names.emplace_back(name);
  for (long turn = std::strtol(arguments[4], nullptr, 10); turn > 0; --turn) {
    const std::string& name =
        names[static_cast<std::size_t>(below(static_cast<int>(names.size())))];
    name[0] == 's' ? call(f32, name.substr(1)) : call(f64, name.substr(1));
  }
  bool is_wrong = false;
  long outputs = 0;
  for (const auto& [routine, seen] : counts) {
    std::printf("%s: %ld calls, %ld refused, %ld outputs, %ld different\n", routine.c_str(),
                seen.calls, seen.refused, seen.outputs, seen.different);
    is_wrong |= seen.different > 0;
    outputs += seen.outputs;
  }
  std::printf("all: %ld outputs\n", outputs);
  return is_wrong ? 1 : 0;
}

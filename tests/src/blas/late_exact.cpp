#include "late_calls.h"

namespace reprosum::late {
namespace {

constexpr auto kColumns = REPROSUM_COLUMN_MAJOR;
constexpr auto kPlain = REPROSUM_NO_TRANS, kTurned = REPROSUM_TRANS;
constexpr auto kUpper = REPROSUM_UPPER, kLower = REPROSUM_LOWER;
constexpr auto kNonUnit = REPROSUM_NON_UNIT;
constexpr auto kLeft = REPROSUM_LEFT, kRight = REPROSUM_RIGHT;
#define EXACT(T, function, ...) \
  CALL(T, size, "reprosum_exact_" #function, reprosum_exact_##function(__VA_ARGS__))

#define EXACT_ROUTINES(T, p)                                                                       \
  EXACT(T, p##sum, n, X, 1, OUT)                                                                   \
  EXACT(T, p##sum, n, X, -2, OUT)                                                                  \
  EXACT(T, p##dot, n, X, 1, Y, 1, OUT)                                                             \
  EXACT(T, p##dot, n, X, 2, Y, -2, OUT)                                                            \
  EXACT(T, p##asum, n, X, 2, OUT)                                                                  \
  EXACT(T, p##nrm2, n, X, 2, OUT)                                                                  \
  EXACT(T, p##axpy, n, static_cast<T>(1.1), X, 2, Y, 1)                                            \
  EXACT(T, p##scal, n, static_cast<T>(1.1), X, 2)                                                  \
  EXACT(T, p##invscal, n, static_cast<T>(1.1), X, 2)                                               \
  EXACT(T, p##ger, kColumns, n, n, static_cast<T>(1.1), X, 1, Y, 2, C, n)                          \
  EXACT(T, p##gemv, kColumns, kPlain, n, n, static_cast<T>(1.1), A, n, X, 2, static_cast<T>(.3),   \
        Y, 1)                                                                                      \
  EXACT(T, p##gemv, kColumns, kTurned, n, n, static_cast<T>(1.1), A, n, X, 1, static_cast<T>(.3),  \
        Y, 2)                                                                                      \
  EXACT(T, p##gemm, kColumns, kPlain, kTurned, n, n, n, static_cast<T>(1.1), A, n, B, n,           \
        static_cast<T>(.3), C, n)                                                                  \
  EXACT(T, p##gemm, kColumns, kTurned, kPlain, n, n, n, static_cast<T>(1), A, n, B, n,             \
        static_cast<T>(0), C, n)                                                                   \
  EXACT(T, p##syrk, kColumns, kUpper, kPlain, n, n, static_cast<T>(1.1), A, n, static_cast<T>(.3), \
        C, n)                                                                                      \
  EXACT(T, p##syr2k, kColumns, kLower, kPlain, n, n, static_cast<T>(1.1), A, n, B, n,              \
        static_cast<T>(.3), C, n)                                                                  \
  EXACT(T, p##gemmt, kColumns, kLower, kPlain, kPlain, n, n, static_cast<T>(1.1), A, n, B, n,      \
        static_cast<T>(.3), C, n)                                                                  \
  EXACT(T, p##symm, kColumns, kLeft, kUpper, n, n, static_cast<T>(1.1), A, n, B, n,                \
        static_cast<T>(.3), C, n)                                                                  \
  EXACT(T, p##symv, kColumns, kUpper, n, static_cast<T>(1.1), A, n, X, 2, static_cast<T>(.3), Y,   \
        1)                                                                                         \
  EXACT(T, p##trmm, kColumns, kRight, kUpper, kTurned, kNonUnit, n, n, static_cast<T>(1.1), A, n,  \
        B, n)                                                                                      \
  EXACT(T, p##trmv, kColumns, kLower, kPlain, kNonUnit, n, A, n, X, 2)                             \
  EXACT(T, p##trsv, kColumns, kLower, kPlain, kNonUnit, n, A, n, X, 2)                             \
  EXACT(T, p##trsv, kColumns, kUpper, kTurned, kNonUnit, n, A, n, X, 1)                            \
  EXACT(T, p##trsv_certified, kColumns, kLower, kPlain, kNonUnit, n, A, n, X, 2)                   \
  EXACT(T, p##trsv_refined, kColumns, kUpper, kPlain, kNonUnit, n, A, n, X, 2, 2)                  \
  EXACT(T, p##trsm, kColumns, kLeft, kLower, kPlain, kNonUnit, n, n, static_cast<T>(1.1), A, n, B, \
        n) {                                                                                       \
    Operands<T> t(size);                                                                           \
    const std::int64_t n = t.n;                                                                    \
    Array<std::int64_t> pivots(n), info(1);                                                        \
    demand(reprosum_exact_##p##getrf(kColumns, n, n, B, n, pivots.data(), info.data()),            \
           "reprosum_exact_" #p "getrf");                                                          \
    t.keep("reprosum_exact_" #p "getrf", results);                                                 \
    results.push_back({"pivots of " #p "getrf", pivots.bytes()});                                  \
    demand(reprosum_exact_##p##getrs(kColumns, kPlain, n, n, B, n, pivots.data(), C, n),           \
           "reprosum_exact_" #p "getrs");                                                          \
    t.keep("reprosum_exact_" #p "getrs", results);                                                 \
  }                                                                                                \
  {                                                                                                \
    Operands<T> t(size);                                                                           \
    const std::int64_t n = t.n;                                                                    \
    reprosum_accumulator *sum = nullptr, *other = nullptr;                                         \
    const auto type = sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64;                                \
    unsigned char saved[544];                                                                      \
    std::size_t bytes = 0;                                                                         \
    demand(reprosum_accumulator_create(type, &sum), "accumulator");                                \
    demand(reprosum_accumulator_##p##add(sum, n, X, 2), "accumulator");                            \
    demand(reprosum_accumulator_##p##add_products(sum, n, X, 1, Y, 2), "accumulator");             \
    demand(reprosum_accumulator_negate(sum), "accumulator");                                       \
    demand(reprosum_accumulator_size(sum, &bytes), "accumulator");                                 \
    demand(reprosum_accumulator_save(sum, saved, bytes), "accumulator");                           \
    demand(reprosum_accumulator_load(saved, bytes, &other), "accumulator");                        \
    demand(reprosum_accumulator_merge(other, sum), "accumulator");                                 \
    demand(reprosum_accumulator_##p##round(other, REPROSUM_TOWARD_ZERO, OUT), "accumulator");      \
    reprosum_accumulator_destroy(sum);                                                             \
    reprosum_accumulator_destroy(other);                                                           \
    t.keep("accumulator of " #p, results);                                                         \
  }

constexpr std::int64_t kLong = 40000;

// Vectors of a length at which the routines take blocks and threads.
template <class T, class Call>
void long_call(const std::string& name, const Call& call, Results& results) {
  Array<T> x(2 * kLong), y(2 * kLong), out(1);
  fill(x, 2 * kLong, 5);
  fill(y, 2 * kLong, 11);
  demand(call(x.data(), y.data(), out.data()), name);
  results.push_back({name + " of long vectors", out.bytes()});
  results.push_back({name + " of long vectors", y.bytes()});
}

}  // namespace

Results exact_results() {
  Results results;
  for (const std::int64_t size : kSizes) {
    EXACT_ROUTINES(float, s)
    EXACT_ROUTINES(double, d)
    EXACT(float, dsdot, n, X, 2, Y, 1, t.wide.data())
    EXACT(float, sdsdot, n, .5F, X, 2, Y, 1, OUT)
  }
  using S = float;
  using D = double;
  long_call<S>(
      "ssum", [](S* x, S*, S* o) { return reprosum_exact_ssum(kLong, x, 2, o); }, results);
  long_call<D>(
      "dsum", [](D* x, D*, D* o) { return reprosum_exact_dsum(kLong, x, 2, o); }, results);
  long_call<S>(
      "sdot", [](S* x, S* y, S* o) { return reprosum_exact_sdot(kLong, x, 2, y, -2, o); }, results);
  long_call<D>(
      "ddot", [](D* x, D* y, D* o) { return reprosum_exact_ddot(kLong, x, 2, y, -2, o); }, results);
  long_call<D>(
      "dasum", [](D* x, D*, D* o) { return reprosum_exact_dasum(kLong, x, 2, o); }, results);
  long_call<D>(
      "dnrm2", [](D* x, D*, D* o) { return reprosum_exact_dnrm2(kLong, x, 2, o); }, results);
  long_call<D>(
      "daxpy", [](D* x, D* y, D*) { return reprosum_exact_daxpy(kLong, .7, x, 2, y, -2); },
      results);
  // Tall and flat: a matrix of whose columns one is a long vector.
  long_call<D>(
      "dgemv",
      [](D* x, D* y, D*) {
        return reprosum_exact_dgemv(kColumns, kPlain, kLong, 2, 1.1, x, kLong, x, 1, .3, y, 1);
      },
      results);
  long_call<S>(
      "sgemv",
      [](S* x, S* y, S*) {
        return reprosum_exact_sgemv(kColumns, kTurned, kLong, 2, 1.1F, x, kLong, x, 1, .3F, y, 1);
      },
      results);
  return results;
}

}  // namespace reprosum::late

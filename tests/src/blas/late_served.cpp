// What asks a spec, and the symbols of the drop-in.
#include "late_calls.h"

extern "C" {
#define DECLARE(T, p)                                                                              \
  T cblas_##p##dot(int, const T*, int, const T*, int);                                             \
  T cblas_##p##sum(int, const T*, int);                                                            \
  T cblas_##p##asum(int, const T*, int);                                                           \
  T cblas_##p##nrm2(int, const T*, int);                                                           \
  void cblas_##p##axpy(int, T, const T*, int, T*, int);                                            \
  void cblas_##p##scal(int, T, T*, int);                                                           \
  void cblas_##p##ger(int, int, int, T, const T*, int, const T*, int, T*, int);                    \
  void cblas_##p##gemv(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);           \
  void cblas_##p##symv(int, int, int, T, const T*, int, const T*, int, T, T*, int);                \
  void cblas_##p##trmv(int, int, int, int, int, const T*, int, T*, int);                           \
  void cblas_##p##trsv(int, int, int, int, int, const T*, int, T*, int);                           \
  void cblas_##p##gemm(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int); \
  void cblas_##p##symm(int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);      \
  void cblas_##p##syrk(int, int, int, int, int, T, const T*, int, T, T*, int);                     \
  void cblas_##p##syr2k(int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);     \
  void cblas_##p##trmm(int, int, int, int, int, int, int, T, const T*, int, T*, int);              \
  void cblas_##p##trsm(int, int, int, int, int, int, int, T, const T*, int, T*, int);
DECLARE(float, s)
DECLARE(double, d)
#undef DECLARE
}

namespace reprosum::late {
namespace {

constexpr auto kColumns = REPROSUM_COLUMN_MAJOR;
constexpr auto kPlain = REPROSUM_NO_TRANS, kTurned = REPROSUM_TRANS;

#define REPLAY(T, function, ...) \
  CALL(T, size, "reprosum_" #function, reprosum_##function(handle, __VA_ARGS__))
#define REPLAY_ROUTINES(T, p)                                                                      \
  REPLAY(T, p##sum, n, X, 1, OUT)                                                                  \
  REPLAY(T, p##dot, n, X, 1, Y, 1, OUT)                                                            \
  REPLAY(T, p##sum_batch, n, 2, X, 1, n, Y)                                                        \
  REPLAY(T, p##dot_batch, n, 2, X, 1, n, B, 1, 0, Y)                                               \
  REPLAY(T, p##gemv, kColumns, kPlain, n, n, static_cast<T>(1.1), A, n, X, 1, static_cast<T>(.3),  \
         Y, 1)                                                                                     \
  REPLAY(T, p##gemv, kColumns, kTurned, n, n, static_cast<T>(1.1), A, n, X, 1, static_cast<T>(.3), \
         Y, 1)                                                                                     \
  REPLAY(T, p##gemm, kColumns, kPlain, kPlain, n, n, n, static_cast<T>(1.1), A, n, B, n,           \
         static_cast<T>(.3), C, n)                                                                 \
  REPLAY(T, p##gemm, kColumns, kTurned, kPlain, n, n, n, static_cast<T>(1), A, n, B, n,            \
         static_cast<T>(0), C, n)

reprosum_handle* opened() {
  reprosum_handle* handle = nullptr;
  demand(reprosum_open_file(std::getenv("REPROSUM_SPEC"), &handle), "reprosum_open_file");
  if (const char* const isa = std::getenv("REPROSUM_ISA"))
    demand(reprosum_set_isa(handle, isa), "reprosum_set_isa");
  demand(reprosum_set_workers(handle, 2), "reprosum_set_workers");
  return handle;
}

}  // namespace

// With a handle that stays open, and with one that is opened, asked and closed here.
Results replay_results() {
  static reprosum_handle* const kept = opened();
  Results results;
  reprosum_handle* const fresh = opened();
  for (const reprosum_handle* const handle :
       {static_cast<const reprosum_handle*>(kept), static_cast<const reprosum_handle*>(fresh)})
    for (const std::int64_t size : kSizes) {
      REPLAY_ROUTINES(float, s)
      REPLAY_ROUTINES(double, d)
      double number = 1;
      if (reprosum_ddot(handle, 10000000, &number, 0, &number, 3, &number) == REPROSUM_OK)
        fail("reprosum_ddot", "covers what it does not");
      const std::string why = reprosum_last_error(handle);
      results.push_back({"reprosum_last_error", Bytes(why.begin(), why.end())});
    }
  char hash[65] = "";
  demand(reprosum_spec_hash(fresh, hash), "reprosum_spec_hash");
  results.push_back({"reprosum_spec_hash", Bytes(hash, hash + 64)});
  reprosum_close(fresh);
  return results;
}

#define BLAS(T, function, call)          \
  {                                      \
    Operands<T> t(size);                 \
    const int n = static_cast<int>(t.n); \
    call;                                \
    t.keep("cblas_" #function, results); \
  }
#define NUMBER(function, ...) *OUT = cblas_##function(__VA_ARGS__)
#define ROUTINE(T, function, ...) BLAS(T, function, cblas_##function(__VA_ARGS__))
// What a spec of the tests replays; the other routines are forwarded in replay, and computed in
// exact mode.
#define REPLAYED_BLAS(T, p)                                                                        \
  BLAS(T, p##dot, NUMBER(p##dot, n, X, 1, Y, 1))                                                   \
  BLAS(T, p##sum, NUMBER(p##sum, n, X, 1))                                                         \
  ROUTINE(T, p##gemv, 102, 111, n, n, static_cast<T>(1.1), A, n, X, 1, static_cast<T>(.3), Y, 1)   \
  ROUTINE(T, p##gemm, 102, 112, 111, n, n, n, static_cast<T>(1.1), A, n, B, n, static_cast<T>(.3), \
          C, n)
#define OTHER_BLAS(T, p)                                                                           \
  BLAS(T, p##asum, NUMBER(p##asum, n, X, 2))                                                       \
  BLAS(T, p##nrm2, NUMBER(p##nrm2, n, X, 2))                                                       \
  ROUTINE(T, p##axpy, n, static_cast<T>(1.1), X, 2, Y, 1)                                          \
  ROUTINE(T, p##scal, n, static_cast<T>(1.1), X, 2)                                                \
  ROUTINE(T, p##ger, 102, n, n, static_cast<T>(1.1), X, 1, Y, 2, C, n)                             \
  ROUTINE(T, p##symv, 102, 121, n, static_cast<T>(1.1), A, n, X, 2, static_cast<T>(.3), Y, 1)      \
  ROUTINE(T, p##trmv, 102, 122, 111, 131, n, A, n, X, 2)                                           \
  ROUTINE(T, p##trsv, 102, 122, 111, 131, n, A, n, X, 2)                                           \
  ROUTINE(T, p##symm, 102, 141, 121, n, n, static_cast<T>(1.1), A, n, B, n, static_cast<T>(.3), C, \
          n)                                                                                       \
  ROUTINE(T, p##syrk, 102, 121, 111, n, n, static_cast<T>(1.1), A, n, static_cast<T>(.3), C, n)    \
  ROUTINE(T, p##syr2k, 102, 121, 111, n, n, static_cast<T>(1.1), A, n, B, n, static_cast<T>(.3),   \
          C, n)                                                                                    \
  ROUTINE(T, p##trmm, 102, 142, 121, 112, 131, n, n, static_cast<T>(1.1), A, n, B, n)              \
  ROUTINE(T, p##trsm, 102, 141, 122, 111, 131, n, n, static_cast<T>(1.1), A, n, B, n)

Results blas_results() {
  const char* const mode = std::getenv("REPROSUM_MODE");
  const bool all = mode != nullptr && std::strcmp(mode, "exact") == 0;
  Results results;
  for (const std::int64_t size : kSizes) {
    REPLAYED_BLAS(float, s)
    REPLAYED_BLAS(double, d)
    if (!all) continue;
    OTHER_BLAS(float, s)
    OTHER_BLAS(double, d)
  }
  return results;
}

}  // namespace reprosum::late

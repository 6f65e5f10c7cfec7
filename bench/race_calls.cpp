#include "bench/race_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace reprosum::bench {
namespace {

constexpr int kColumnMajor = 102, kNoTrans = 111, kTrans = 112;

std::int64_t length_a(const RaceShape& s) {
  if (s.kind == RaceKind::gemv) return s.m * s.n;
  return s.kind == RaceKind::gemm ? s.m * s.k : s.n * s.inc;
}
std::int64_t length_b(const RaceShape& s) {
  if (s.kind == RaceKind::gemv) return s.trans_a ? s.m : s.n;
  return s.kind == RaceKind::gemm ? s.k * s.n : s.n * s.inc;
}
std::int64_t outputs_of(const RaceShape& s) {
  if (s.kind == RaceKind::gemv) return s.trans_a ? s.n : s.m;
  return s.kind == RaceKind::gemm ? s.m * s.n : 1;
}

template <class T>
T* filled(Lines<T>& lines, std::uint64_t seed) {
  const auto numbers = lines.numbers();
  const auto data = uniform<T>(static_cast<std::int64_t>(numbers.size()), seed);
  std::copy(data.begin(), data.end(), numbers.begin());
  return numbers.data();
}

template <class Single, class Double, class T>
auto by_type(Single single, Double twice, T) {
  if constexpr (sizeof(T) == 4)
    return single;
  else
    return twice;
}

}  // namespace

std::string RaceShape::text() const {
  if (kind == RaceKind::gemv) return fmt::format("m = {}, n = {}", m, n);
  if (kind == RaceKind::gemm) return fmt::format("m = {}, n = {}, k = {}", m, n, k);
  return fmt::format("n = {}", n) + (inc == 1 ? "" : fmt::format(", increments {}", inc));
}

const std::vector<std::string>& tables() {
  static const std::vector<std::string> all = {
      "sum contiguous", "sum strided", "dot contiguous", "dot strided", "gemv N",
      "gemv T",         "gemm NN",     "gemm TN",        "gemm NT",     "gemm skinny"};
  return all;
}

std::vector<RaceShape> shapes_of(const std::string& table) {
  std::vector<RaceShape> shapes;
  const std::string what = table.substr(0, table.find(' '));
  const std::string how = table.substr(table.find(' ') + 1);
  if (what == "sum" || what == "dot") {
    const RaceKind kind = what == "sum" ? RaceKind::sum : RaceKind::dot;
    for (const std::int64_t n : {100, 300, 1000, 10'000, 100'000, 1'000'000})
      shapes.push_back({kind, false, false, 1, n, 1, how == "strided" ? 2 : 1});
  } else if (what == "gemv") {
    for (const std::int64_t n : {30, 64, 100, 200, 256, 500, 1000, 1024, 2000, 4096})
      shapes.push_back({RaceKind::gemv, how == "T", false, n, n, 1, 1});
    for (const auto& [m, n] : {std::pair{1000, 30}, std::pair{30, 1000}, std::pair{10'000, 100}})
      shapes.push_back({RaceKind::gemv, how == "T", false, m, n, 1, 1});
  } else if (how == "skinny") {
    for (const auto& [m, n, k] :
         {std::tuple{1000, 4, 1000}, std::tuple{4, 1000, 1000}, std::tuple{1000, 1000, 4},
          std::tuple{1000, 1, 1000}, std::tuple{1, 1000, 1000}, std::tuple{16, 16, 4000},
          std::tuple{100, 10, 100}, std::tuple{2000, 32, 64}})
      shapes.push_back({RaceKind::gemm, false, false, m, n, k, 1});
  } else {
    std::vector<std::int64_t> sizes = {16,  24,  32,  50,  64,   100, 128,
                                       200, 256, 500, 512, 1000, 1024};
    if (how != "NN") sizes = {16, 33, 64, 100, 256, 500};
    for (const std::int64_t n : sizes)
      shapes.push_back({RaceKind::gemm, how[0] == 'T', how[1] == 'T', n, n, n, 1});
  }
  return shapes;
}

template <class T>
RaceCall<T>::RaceCall(const RaceShape& shape)
    : s_(shape), a_(length_a(shape)), b_(length_b(shape)), c_(outputs_of(shape)) {
  pa_ = filled(a_, 1);
  pb_ = filled(b_, 2);
  pc_ = filled(c_, 3);
  outputs_ = outputs_of(shape);
}

template <class T>
bool RaceCall<T>::has(const RaceLibrary<T>& library) const {
  switch (s_.kind) {
    case RaceKind::sum:
      return library.sum != nullptr;
    case RaceKind::dot:
      return library.dot != nullptr;
    case RaceKind::gemv:
      return library.gemv != nullptr;
    default:
      return library.gemm != nullptr;
  }
}

template <class T>
void RaceCall<T>::peer(const RaceLibrary<T>& library) {
  const int m = static_cast<int>(s_.m), n = static_cast<int>(s_.n), k = static_cast<int>(s_.k),
            inc = static_cast<int>(s_.inc);
  const int ta = s_.trans_a ? kTrans : kNoTrans, tb = s_.trans_b ? kTrans : kNoTrans;
  switch (s_.kind) {
    case RaceKind::sum:
      *pc_ = library.sum(n, pa_, inc);
      break;
    case RaceKind::dot:
      *pc_ = library.dot(n, pa_, inc, pb_, inc);
      break;
    case RaceKind::gemv:
      library.gemv(kColumnMajor, ta, m, n, T(1), pa_, m, pb_, 1, T(0), pc_, 1);
      break;
    case RaceKind::gemm:
      library.gemm(kColumnMajor, ta, tb, m, n, k, T(1), pa_, s_.trans_a ? k : m, pb_,
                   s_.trans_b ? n : k, T(0), pc_, m);
  }
}

template <class T>
reprosum_status RaceCall<T>::ours(const reprosum_handle* handle) {
  const auto ta = s_.trans_a ? REPROSUM_TRANS : REPROSUM_NO_TRANS,
             tb = s_.trans_b ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
  switch (s_.kind) {
    case RaceKind::sum:
      return by_type(reprosum_ssum, reprosum_dsum, T())(handle, s_.n, pa_, s_.inc, pc_);
    case RaceKind::dot:
      return by_type(reprosum_sdot, reprosum_ddot, T())(handle, s_.n, pa_, s_.inc, pb_, s_.inc,
                                                        pc_);
    case RaceKind::gemv:
      return by_type(reprosum_sgemv, reprosum_dgemv, T())(
          handle, REPROSUM_COLUMN_MAJOR, ta, s_.m, s_.n, T(1), pa_, s_.m, pb_, 1, T(0), pc_, 1);
    default:
      return by_type(reprosum_sgemm, reprosum_dgemm, T())(
          handle, REPROSUM_COLUMN_MAJOR, ta, tb, s_.m, s_.n, s_.k, T(1), pa_,
          s_.trans_a ? s_.k : s_.m, pb_, s_.trans_b ? s_.n : s_.k, T(0), pc_, s_.m);
  }
}

template <class T>
std::size_t RaceCall<T>::differing(const RaceCall& other) const {
  std::size_t count = 0;
  for (std::int64_t i = 0; i < outputs_; ++i)
    count += std::memcmp(&pc_[i], &other.pc_[i], sizeof(T)) != 0 ? 1 : 0;
  return count;
}

template <class T>
std::string RaceCall<T>::interpreted(const reprosum_handle* handle) const {
  std::string names(1 << 14, '\0');
  if (s_.kind == RaceKind::sum || s_.kind == RaceKind::dot) {
    reprosum_reduction call{};
    call.routine = s_.kind == RaceKind::sum ? REPROSUM_SUM : REPROSUM_DOT;
    call.type = sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64;
    call.n = s_.n;
    call.incx = s_.inc;
    call.incy = s_.kind == RaceKind::sum ? 0 : s_.inc;
    reprosum_kernel_name(handle, &call, names.data(), names.size(), nullptr);
  } else {
    reprosum_product call{};
    const bool gemv = s_.kind == RaceKind::gemv;
    call.routine = gemv ? REPROSUM_GEMV : REPROSUM_GEMM;
    call.type = sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64;
    call.transa = s_.trans_a ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
    call.transb = s_.trans_b ? REPROSUM_TRANS : REPROSUM_NO_TRANS;
    call.m = gemv ? outputs_ : s_.m;
    call.n = gemv ? 1 : s_.n;
    call.k = gemv ? s_.m * s_.n / outputs_ : s_.k;
    call.incx = call.incy = 1;
    reprosum_product_kernels(handle, &call, names.data(), names.size());
  }
  names.resize(std::strlen(names.c_str()));
  const std::size_t at = names.find("interpreter");
  return at == std::string::npos ? "" : names.substr(at, 100);
}

template class RaceCall<float>;
template class RaceCall<double>;

}  // namespace reprosum::bench

// The calls that race_spec makes: of the library by its CBLAS face, of ours by the C API.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bench/data.h"
#include "bench/peer.h"
#include "reprosum/reprosum.h"

namespace reprosum::bench {

enum class RaceKind { sum, dot, gemv, gemm };

// sum and dot: n terms, increments incx and incy. gemv: A is m x n, column-major. gemm: C is m x n.
struct RaceShape {
  RaceKind kind = RaceKind::dot;
  bool trans_a = false, trans_b = false;
  std::int64_t m = 1, n = 1, k = 1, inc = 1;
  std::string text() const;
};

// "dot contiguous", "gemv N", ...: the tables of one type, without the letter of the type.
const std::vector<std::string>& tables();
std::vector<RaceShape> shapes_of(const std::string& table);

template <class T>
struct RaceLibrary {
  using Sum = T (*)(int, const T*, int);
  using Dot = T (*)(int, const T*, int, const T*, int);
  using Gemv = void (*)(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  Sum sum;
  Dot dot;
  Gemv gemv;
  Gemm gemm;
  explicit RaceLibrary(const Peer& peer) {
    const std::string type = std::string("cblas_") + (sizeof(T) == 4 ? "s" : "d");
    sum = peer.symbol<Sum>((type + "sum").c_str());
    dot = peer.symbol<Dot>((type + "dot").c_str());
    gemv = peer.symbol<Gemv>((type + "gemv").c_str());
    gemm = peer.symbol<Gemm>((type + "gemm").c_str());
  }
};

// One call with operands of its own, the same numbers in each that has the same shape. alpha = 1
// and beta = 0, as NumPy calls; operands begin with a cache line.
template <class T>
class RaceCall {
 public:
  explicit RaceCall(const RaceShape& shape);
  bool has(const RaceLibrary<T>& library) const;
  void peer(const RaceLibrary<T>& library);
  reprosum_status ours(const reprosum_handle* handle);
  std::size_t differing(const RaceCall& other) const;
  // The kernels that leave outputs to the interpreter, as the C API names them; "" if none does.
  std::string interpreted(const reprosum_handle* handle) const;

 private:
  RaceShape s_;
  Lines<T> a_, b_, c_;
  T *pa_, *pb_, *pc_;
  std::int64_t outputs_;
};

}  // namespace reprosum::bench

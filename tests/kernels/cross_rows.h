// Kernels that two machines call with the same data; both include this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct CrossRow {
  enum Kind { single, strided, batch, tile } kind;
  bool is_f32, is_wide, has_y, shares_y;
  unsigned seed;
  int first_length, last_length;  // of kCrossLengths; not of a tile
  int rows;                       // of a batch or a function by rows; 0: a tile in vectors
  // For a tile: `down` outputs by `columns`, of n summands as the plan counts them.
  int down, columns, n;
  std::int64_t q, r;
  void (*function)();
};
extern const CrossRow cross_rows[];
extern const int cross_row_count;

// 1..70, about powers of two, and some that no loop divides.
inline std::vector<int> cross_lengths() {
  std::vector<int> lengths;
  for (int n = 1; n <= 70; ++n) lengths.push_back(n);
  for (const int n : {127, 128, 129, 255, 257, 511, 1000, 1023, 4097}) lengths.push_back(n);
  return lengths;
}
inline const std::vector<int> kCrossLengths = cross_lengths();
inline std::vector<int> cross_lengths(const CrossRow& row) {
  std::vector<int> lengths;
  for (const int n : kCrossLengths)
    if (row.first_length <= n && n <= row.last_length) lengths.push_back(n);
  return lengths;
}

// By integers and exact conversions alone: signs, zeros, exponents that make every order its own.
template <class T>
std::vector<T> cross_data(unsigned seed, int count) {
  std::vector<T> data(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 7919u + 1;
  for (T& value : data) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = static_cast<T>(static_cast<std::int64_t>(state >> 40) - (1 << 23));
    if (state >> 60 == 0) value = T(-0.0);
    for (std::uint64_t e = (state >> 20) % 40; e > 0; --e) value *= T(0.5);
  }
  return data;
}

// What a sum or dot product of n summands reads, row by row.
template <class T>
class CrossVectors {
 public:
  CrossVectors(const CrossRow& row, int n)
      : row_(row),
        n_(n),
        x_(cross_data<T>(row.seed, row.rows * 3 * n)),
        y_(cross_data<T>(row.seed + 1, row.rows * 3 * n)) {}
  bool is_strided() const { return row_.kind == CrossRow::strided; }
  std::int64_t incx() const { return is_strided() ? -3 : 1; }
  std::int64_t incy() const { return is_strided() ? 2 : 1; }
  std::int64_t ldx() const { return 3 * n_; }
  std::int64_t ldy() const { return row_.shares_y ? 0 : 3 * n_; }
  const T* x(int k) const { return x_.data() + k * ldx() + (is_strided() ? 3 * (n_ - 1) : 0); }
  const T* y(int k) const { return y_.data() + k * ldy(); }

 private:
  const CrossRow& row_;
  const int n_;
  const std::vector<T> x_, y_;
};

// The call of a tile (TileCall of program/tile.h), with what it reads and writes. By rows, the
// summands of an output are neighbours.
template <class T>
class CrossTile {
 public:
  explicit CrossTile(const CrossRow& row)
      : vector_(cross_data<T>(row.seed, row.n * row.down)),
        scalar_(cross_data<T>(row.seed + 1, row.n * row.columns)),
        c_(cross_data<T>(row.seed + 2, row.down * row.columns)) {
    call_.vector_step = row.down;
    call_.scalar = scalar_.data();
    call_.scalar_step = row.columns;
    call_.scalar_column = 1;
    call_.q = row.q;
    call_.r = row.r;
    call_.c = c_.data();
    call_.c_column = row.rows > 0 ? 1 : row.down;
    call_.down = row.down;
    call_.vector_row = row.n;
    if (row.rows > 0) vector_ = turned(vector_, row.down, row.n);
    call_.vector = vector_.data();
  }
  const void* call() const { return &call_; }
  const std::vector<T>& c() const { return c_; }

 private:
  struct Call {
    const T* vector;
    std::int64_t vector_step;
    const T* scalar;
    std::int64_t scalar_step, scalar_column, q, r;
    T* c;
    std::int64_t c_column, down, vector_row = 0;
    alignas(8) T alpha{1.25};
    alignas(8) T beta{-0.75};
  };
  static std::vector<T> turned(const std::vector<T>& columns, int down, int n) {
    std::vector<T> rows(columns.size());
    for (int p = 0; p < n; ++p)
      for (int i = 0; i < down; ++i)
        rows[static_cast<std::size_t>(i * n + p)] = columns[static_cast<std::size_t>(p * down + i)];
    return rows;
  }
  std::vector<T> vector_, scalar_, c_;
  Call call_{};
};

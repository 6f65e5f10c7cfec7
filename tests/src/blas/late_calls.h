// Operands for late_caller.cpp between fields that nobody may write to, blocks in which every byte
// must stay, and what a routine gave.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "reprosum/exact.h"
#include "reprosum/reprosum.h"

namespace reprosum::late {

using Bytes = std::vector<unsigned char>;

[[noreturn]] inline void fail(const char* where, const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", where, what.c_str());
  _exit(9);
}

// Memory of the program between two fields that nobody may write to.
template <class T>
class Array {
 public:
  explicit Array(std::int64_t count)
      : bytes_(static_cast<std::size_t>(count) * sizeof(T)),
        block_(static_cast<unsigned char*>(std::malloc(bytes_ + 2 * kField))) {
    std::memset(block_, kMark, kField);
    std::memset(block_ + kField + bytes_, kMark, kField);
    std::memset(block_ + kField, 0, bytes_);
  }
  ~Array() {
    for (std::size_t i = 0; i < kField; ++i)
      if (block_[i] != kMark || block_[kField + bytes_ + i] != kMark)
        fail("an operand", "written beside it");
    std::free(block_);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() { return reinterpret_cast<T*>(block_ + kField); }
  T& operator[](std::int64_t i) { return data()[i]; }
  Bytes bytes() const { return Bytes(block_ + kField, block_ + kField + bytes_); }

 private:
  static constexpr std::size_t kField = 64;
  static constexpr unsigned char kMark = 0xA5;
  std::size_t bytes_;
  unsigned char* block_;
};

// Blocks of all sizes, from small ones to those that malloc takes from the system, in which every
// byte must stay.
class Blocks {
 public:
  Blocks() {
    for (std::size_t size = 24; size <= kLargest; size += size / 2)
      for (int copy = 0; copy < (size < 4096 ? 16 : 2); ++copy) {
        auto* const block = static_cast<unsigned char*>(std::malloc(size));
        std::memset(block, mark(size), size);
        blocks_.push_back({block, size});
      }
  }
  void check(const char* where, const std::string& after) const {
    for (const Block& one : blocks_)
      for (std::size_t i = 0; i < one.size; ++i)
        if (one.first[i] != mark(one.size))
          fail(where, after + " wrote into a block of " + std::to_string(one.size) + " bytes");
  }
  ~Blocks() {
    for (const Block& one : blocks_) std::free(one.first);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

 private:
  static constexpr std::size_t kLargest = std::size_t{1} << 20;
  struct Block {
    unsigned char* first;
    std::size_t size;
  };
  static unsigned char mark(std::size_t size) { return static_cast<unsigned char>(size * 37 + 1); }
  std::vector<Block> blocks_;
};

// Numbers of which sums are not exact, and a well conditioned matrix with both its triangles.
template <class T>
T number(std::int64_t i) {
  const auto mixed = static_cast<std::uint32_t>(i * 2654435761 + 12345);
  return static_cast<T>(static_cast<double>(mixed >> 8) / (1 << 24) - 0.5) *
         static_cast<T>(1 << (mixed & 7));
}
template <class T>
void fill(Array<T>& array, std::int64_t count, std::int64_t first) {
  for (std::int64_t i = 0; i < count; ++i) array[i] = number<T>(first + i);
}
template <class T>
void fill_solvable(Array<T>& a, std::int64_t n) {
  for (std::int64_t i = 0; i < n * n; ++i) a[i] = number<T>(i) / static_cast<T>(8 * n);
  for (std::int64_t i = 0; i < n; ++i) a[i * (n + 1)] = static_cast<T>(1) + number<T>(i) / 16;
}

struct Result {
  std::string name;
  Bytes bytes;
};
using Results = std::vector<Result>;

inline void demand(reprosum_status status, const std::string& name) {
  if (status != REPROSUM_OK) fail(name.c_str(), reprosum_last_error(nullptr));
}

// A routine's results for one size. `t` has operands a, b, c of n x n, vectors x and y of n
// elements every second of which is used, and one number.
template <class T>
struct Operands {
  explicit Operands(std::int64_t n)
      : n(n), a(n * n), b(n * n), c(n * n), x(2 * n), y(2 * n), out(1) {
    fill(b, n * n, 1000);
    fill(c, n * n, 7000);
    fill(x, 2 * n, 300);
    fill(y, 2 * n, 40);
    fill_solvable(a, n);
  }
  std::int64_t n;
  Array<T> a, b, c, x, y, out;
  Array<double> wide{1};

  void keep(const std::string& name, Results& to) const {
    Result one{name, {}};
    for (const Array<T>* array : {&b, &c, &x, &y, &out}) {
      const Bytes bytes = array->bytes();
      one.bytes.insert(one.bytes.end(), bytes.begin(), bytes.end());
    }
    const Bytes bytes = wide.bytes();
    one.bytes.insert(one.bytes.end(), bytes.begin(), bytes.end());
    to.push_back(one);
  }
};
inline constexpr std::int64_t kSizes[] = {1, 9, 17, 33, 129};

// Everything that the C API has, what a spec's replay has, and the drop-in's symbols.
Results exact_results();
Results replay_results();
Results blas_results();

}  // namespace reprosum::late

#define CALL(T, size, name, call) \
  {                               \
    Operands<T> t(size);          \
    const std::int64_t n = t.n;   \
    static_cast<void>(n);         \
    demand(call, name);           \
    t.keep(name, results);        \
  }
#define A t.a.data()
#define B t.b.data()
#define C t.c.data()
#define X t.x.data()
#define Y t.y.data()
#define OUT t.out.data()

#include "bench/replay_product.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace reprosum::bench {
namespace {

constexpr std::int64_t kGuard = 64;  // NaN on both sides

// A matrix of `rows` x `columns` stored with a leading dimension, or a vector with an increment.
struct Place {
  std::int64_t row_step = 1, column_step = 1, origin = 0, leading = 1, extent = 0;
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return origin + row * row_step + column * column_step;
  }
};

// op(X) is rows x columns; X is stored transposed if trans says so.
Place matrix(std::int64_t rows, std::int64_t columns, spec::Trans trans, bool row_major,
             std::int64_t pad) {
  const bool swap = trans == spec::Trans::yes;
  // Neighbours in memory run along columns of op(X) unless exactly one of both turns it.
  const bool down = swap == row_major;
  Place place;
  place.leading = (down ? rows : columns) + pad;
  place.row_step = down ? 1 : place.leading;
  place.column_step = down ? place.leading : 1;
  place.extent = place.at(rows - 1, columns - 1) + 1;
  return place;
}

// Element p is summand or output p; BLAS starts at the far end for a negative increment.
Place vector(std::int64_t count, std::int64_t increment) {
  Place place;
  place.row_step = increment;
  place.column_step = 0;
  place.leading = increment;
  place.origin = increment < 0 ? (1 - count) * increment : 0;
  place.extent = (count - 1) * std::abs(increment) + 1;
  return place;
}

template <class T>
class Operand {
 public:
  Operand(const Place& place, int align) : place_(place) {
    static_assert(kGuard * sizeof(T) % 64 == 0);
    count_ = static_cast<std::size_t>(place.extent + 2 * kGuard) + 64 / sizeof(T);
    memory_.reset(static_cast<T*>(::operator new (count_ * sizeof(T), std::align_val_t{64})));
    std::fill_n(memory_.get(), count_, std::numeric_limits<T>::quiet_NaN());
    first_ = memory_.get() + kGuard + static_cast<std::size_t>(align) / sizeof(T);
  }
  T& at(std::int64_t row, std::int64_t column) const { return first_[place_.at(row, column)]; }
  T* first() const { return first_; }
  std::int64_t leading() const { return place_.leading; }
  std::vector<T> copy() const { return {memory_.get(), memory_.get() + count_}; }
  void assign(const std::vector<T>& values) {
    std::memcpy(memory_.get(), values.data(), count_ * sizeof(T));
  }
  bool same_bits(const std::vector<T>& values) const {
    return std::memcmp(memory_.get(), values.data(), count_ * sizeof(T)) == 0;
  }

 private:
  struct Free {
    void operator()(T* memory) const { ::operator delete (memory, std::align_val_t{64}); }
  };
  Place place_;
  std::size_t count_ = 0;
  std::unique_ptr<T, Free> memory_;
  T* first_ = nullptr;
};

int cblas(spec::Trans trans) {
  return trans == spec::Trans::no ? REPROSUM_NO_TRANS : REPROSUM_TRANS;
}

}  // namespace

template <class T>
struct PlacedProduct::Memory {
  explicit Memory(const RandomProduct& product)
      : call(product.call),
        alpha(static_cast<T>(product.alpha)),
        beta(static_cast<T>(product.beta)),
        a(matrix(call.m, call.k, call.trans_a, call.row_major, call.pad_a), call.align_a),
        b(gemv() ? vector(call.k, call.incx)
                 : matrix(call.k, call.n, call.trans_b, call.row_major, call.pad_b),
          call.align_b),
        c(gemv() ? vector(call.m, call.incy)
                 : matrix(call.m, call.n, spec::Trans::no, call.row_major, call.pad_c),
          call.align_c) {
    const auto value = [](const std::vector<double>& from, std::int64_t at) {
      return static_cast<T>(from[static_cast<std::size_t>(at)]);
    };
    for (std::int64_t p = 0; p < call.k; ++p) {
      for (std::int64_t i = 0; i < call.m; ++i) a.at(i, p) = value(product.a, i * call.k + p);
      for (std::int64_t j = 0; j < call.n; ++j) b.at(p, j) = value(product.b, j * call.k + p);
    }
    for (std::int64_t j = 0; j < call.n; ++j)
      for (std::int64_t i = 0; i < call.m; ++i) c.at(i, j) = value(product.c, i + j * call.m);
    before = c.copy();
  }
  bool gemv() const { return call.routine == spec::Routine::gemv; }

  reprosum_status replay(reprosum_handle* handle) {
    c.assign(before);
    const auto layout = call.row_major ? REPROSUM_ROW_MAJOR : REPROSUM_COLUMN_MAJOR;
    const auto trans_a = static_cast<reprosum_transpose>(cblas(call.trans_a));
    const auto trans_b = static_cast<reprosum_transpose>(cblas(call.trans_b));
    if (gemv()) {
      // The sizes are those of the stored matrix.
      const bool plain = call.trans_a == spec::Trans::no;
      const std::int64_t rows = plain ? call.m : call.k, columns = plain ? call.k : call.m;
      const auto run = [&] {
        if constexpr (sizeof(T) == 4)
          return reprosum_sgemv;
        else
          return reprosum_dgemv;
      }();
      return run(handle, layout, trans_a, rows, columns, alpha, a.first(), a.leading(), b.first(),
                 call.incx, beta, c.first(), call.incy);
    }
    const auto run = [&] {
      if constexpr (sizeof(T) == 4)
        return reprosum_sgemm;
      else
        return reprosum_dgemm;
    }();
    return run(handle, layout, trans_a, trans_b, call.m, call.n, call.k, alpha, a.first(),
               a.leading(), b.first(), b.leading(), beta, c.first(), c.leading());
  }
  std::vector<double> result() const {
    std::vector<double> values(static_cast<std::size_t>(call.m * call.n));
    for (std::int64_t j = 0; j < call.n; ++j)
      for (std::int64_t i = 0; i < call.m; ++i)
        values[static_cast<std::size_t>(i + j * call.m)] = static_cast<double>(c.at(i, j));
    return values;
  }
  // Whether everything but the outputs is as it was before the call.
  bool gaps_kept() {
    const std::vector<T> now = c.copy();
    std::vector<T> outputs;
    each_output([&](T& output) { outputs.push_back(output); });
    c.assign(before);
    std::size_t at = 0;
    each_output([&](T& output) { output = outputs[at++]; });
    const bool kept = c.same_bits(now);
    c.assign(now);
    return kept;
  }
  template <class Body>
  void each_output(const Body& body) {
    for (std::int64_t j = 0; j < call.n; ++j)
      for (std::int64_t i = 0; i < call.m; ++i) body(c.at(i, j));
  }

  reveal::Call call;
  T alpha, beta;
  Operand<T> a, b, c;
  std::vector<T> before;
};

PlacedProduct::PlacedProduct(const RandomProduct& product) {
  if (spec::is_f32(product.call.type))
    f32_ = std::make_unique<Memory<float>>(product);
  else
    f64_ = std::make_unique<Memory<double>>(product);
}
PlacedProduct::~PlacedProduct() = default;

reprosum_status PlacedProduct::replay(const Handle& handle) {
  return f32_ ? f32_->replay(handle.get()) : f64_->replay(handle.get());
}
std::vector<double> PlacedProduct::result() const { return f32_ ? f32_->result() : f64_->result(); }
bool PlacedProduct::gaps_kept() const { return f32_ ? f32_->gaps_kept() : f64_->gaps_kept(); }
bool PlacedProduct::untouched() const {
  return f32_ ? f32_->c.same_bits(f32_->before) : f64_->c.same_bits(f64_->before);
}

}  // namespace reprosum::bench

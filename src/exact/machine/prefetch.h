// How memory is read beside arithmetic that takes longer than a plain sum's.
#pragma once

#include <cstdint>

namespace reprosum::exact {

// Columns are read a few at a time, in strips of rows: lines of those that come next, or the next
// lines of the same ones, which takes more of them at a time and tall strips.
enum class Ask { kNothing, kNextColumns, kSameColumns };

struct Reading {
  // Long vectors are read as several parts side by side: a core asks memory for more lines at a
  // time where they are of several pages.
  bool in_streams;
  // How columns of a matrix beyond the caches are asked for.
  Ask columns;
  // Bytes ahead of their use at which lines of a vector are asked for, and those of rows or columns
  // that are read side by side.
  std::int64_t ahead, lines_ahead;
};

// Intel's processors (family 6, model 167) take half the time for vectors out of cache with these.
inline constexpr Reading kReadsFarAhead{true, Ask::kNextColumns, 2048, 512};
// AMD's with AVX-512 (family 25, model 17) foresee lines better when left alone: sums of 8 MB, in
// the third-level cache, took 1.37 times a plain sum's time as above, and 1.08 like this.
inline constexpr Reading kForeseesLines{false, Ask::kNextColumns, 256, 64};
// AMD's without (family 25, model 1): sums of 160 MB took 1.20 times a plain sum's time as one
// stream, 0.95 in streams 2048 bytes ahead and 0.80 like this; gemv N of 4096 x 4096 doubles 1.3
// times OpenBLAS's where the next columns are asked for, 0.95 in tall strips.
inline constexpr Reading kReadsAhead{true, Ask::kSameColumns, 256, 256};

// As is best on this host; all zero, and so without effect, while programs are being loaded. Tests
// set it.
extern Reading reading;

template <class T>
[[gnu::always_inline]] inline std::int64_t elements_ahead() {
  return reading.ahead / static_cast<std::int64_t>(sizeof(T));
}
// The same for each of a few rows or columns that are read side by side.
template <class T>
[[gnu::always_inline]] inline std::int64_t line_elements_ahead() {
  return reading.lines_ahead / static_cast<std::int64_t>(sizeof(T));
}

// Parts of a chunk of n elements that are read side by side, of whole steps. They are a quarter of
// a page shorter than they could be: chunks are whole pages, and lines at the same place of several
// pages are rivals in the caches and in memory. Sums of 2e7 doubles took 1.16 times a plain sum's
// time on Intel's processors (family 6, model 207) where four parts began so, 1.09 like this, and
// dot products 1.07 and 1.01 times OpenBLAS's.
template <class T>
class Parts {
 public:
  [[gnu::always_inline]] Parts(std::int64_t n, int count, std::int64_t step)
      : size_((n / count - kApart) / step * step), ahead_(elements_ahead<T>()), next_(n - size_) {}
  [[gnu::always_inline]] std::int64_t size() const { return size_; }
  // How far beyond a part's element i the one lies that is asked for. Where a part ends, its stream
  // is taken to go on n elements further, in the next chunk of as many.
  [[gnu::always_inline]] std::int64_t ahead_of(std::int64_t i) const {
    return i + ahead_ < size_ ? ahead_ : ahead_ + next_;
  }

 private:
  static constexpr std::int64_t kApart = 1024 / sizeof(T);
  const std::int64_t size_, ahead_, next_;
};

}  // namespace reprosum::exact

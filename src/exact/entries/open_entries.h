// Entries of a product that a rounding test leaves open: exact sums, some columns at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Entries that take a sum wait here for others of their columns, so that columns whose elements lie
// apart are read once for some sums, kSideBySide of them at a time. One worker's.
class OpenEntries {
 public:
  // Memory for all that may wait. @throws std::bad_alloc; nothing else here does, since part of the
  // output is written by then
  explicit OpenEntries(const Kernels* kernels, const Product<double>& call)
      : kernels_(kernels), call_(call) {
    open_.reserve(kMostOpen);
  }

  void add(std::int64_t row, std::int64_t column) {
    open_.push_back({row, column});
    if (open_.size() == kMostOpen) sum();
  }

  // Writes all that wait.
  void sum();

 private:
  struct Entry {
    std::int64_t row, column;
  };
  static constexpr std::size_t kMostOpen = 4096;
  static constexpr std::int64_t kSideBySide = 8;

  static std::int64_t group(const Entry& entry) { return entry.column / kSideBySide; }
  void copy_columns(std::int64_t first);

  const Kernels* kernels_;
  const Product<double>& call_;
  std::vector<Entry> open_;
  std::unique_ptr<double[]> copies_;  // of columns, side by side; null without memory
};

}  // namespace reprosum::exact

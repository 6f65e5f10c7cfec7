#include "src/exact/entries/open_entries.h"

#include <algorithm>
#include <new>

#include "src/exact/entries/exact_entry.h"
#include "src/exact/machine/fast_counts.h"

namespace reprosum::exact {

void OpenEntries::sum() {
  fast_counts().settled += static_cast<std::int64_t>(open_.size());
  std::sort(open_.begin(), open_.end(), [](const Entry& a, const Entry& b) {
    return group(a) != group(b) ? group(a) < group(b) : a.row < b.row;
  });
  if (call_.b.row != 1 && copies_ == nullptr && !open_.empty())
    copies_.reset(new (std::nothrow) double[static_cast<std::size_t>(kSideBySide * call_.k)]);
  std::int64_t copied = -1;
  for (const Entry& entry : open_) {
    Product<double> one = call_;
    one.c.first += entry.column * call_.c.column;
    one.b.first += entry.column * call_.b.column;
    if (copies_ != nullptr) {
      if (group(entry) != copied) {
        copied = group(entry);
        copy_columns(copied * kSideBySide);
      }
      one.b = {copies_.get() + entry.column % kSideBySide * call_.k, 1, 0};
    }
    one.c.at(entry.row, 0) = exact_entry(kernels_, one, entry.row, 0);
  }
  open_.clear();
}

void OpenEntries::copy_columns(std::int64_t first) {
  const std::int64_t columns = std::min(kSideBySide, call_.n - first);
  for (std::int64_t l = 0; l < call_.k; ++l)
    for (std::int64_t j = 0; j < columns; ++j) copies_[j * call_.k + l] = call_.b.at(l, first + j);
}

}  // namespace reprosum::exact

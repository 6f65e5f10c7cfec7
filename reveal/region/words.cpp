#include "reveal/region/words.h"

#include <algorithm>

namespace reprosum::reveal::region {
namespace {

constexpr std::size_t longest_repeat = 6;

std::size_t copies(const Runs& runs, std::size_t at, std::size_t length) {
  std::size_t count = 1;
  while (at + (count + 1) * length <= runs.size() &&
         std::equal(runs.begin() + at, runs.begin() + at + length,
                    runs.begin() + at + count * length)) {
    ++count;
  }
  return count;
}

void append(Runs& runs, std::int32_t type, std::int64_t count) {
  if (count <= 0) return;
  if (!runs.empty() && runs.back().type == type) {
    runs.back().count += count;
  } else {
    runs.push_back({type, count});
  }
}

bool progress(const spec::Count& a, const spec::Count& b, const spec::Count& c, spec::Count& out) {
  out = {a.c, b.c - a.c};
  return out.q >= 0 && c.c - b.c == out.q;
}

}  // namespace

Runs run_lengths(const std::vector<std::int32_t>& types) {
  Runs runs;
  for (const std::int32_t type : types) append(runs, type, 1);
  return runs;
}

spec::Word compress(const Runs& runs) {
  spec::Word word;
  for (std::size_t at = 0; at < runs.size();) {
    std::size_t length = 1, times = 1;
    for (std::size_t p = 2; p <= longest_repeat && times == 1 && at + 2 * p <= runs.size(); ++p) {
      if (const std::size_t count = copies(runs, at, p); count > 1) {
        length = p;
        times = count;
      }
    }
    spec::WordItem item;
    item.times = {static_cast<std::int64_t>(times), 0};
    for (std::size_t i = 0; i < length; ++i) {
      item.runs.push_back({runs[at + i].type, {runs[at + i].count, 0}});
    }
    word.push_back(std::move(item));
    at += length * times;
  }
  return word;
}

std::optional<spec::Word> progression(const spec::Word& a, const spec::Word& b,
                                      const spec::Word& c) {
  if (a.size() != b.size() || b.size() != c.size()) return std::nullopt;
  spec::Word word = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& [times_a, runs_a] = a[i];
    const auto& [times_b, runs_b] = b[i];
    const auto& [times_c, runs_c] = c[i];
    if (runs_a.size() != runs_b.size() || runs_b.size() != runs_c.size()) return std::nullopt;
    if (!progress(times_a, times_b, times_c, word[i].times)) return std::nullopt;
    for (std::size_t j = 0; j < runs_a.size(); ++j) {
      const std::int32_t type = runs_a[j].type;
      if (runs_b[j].type != type || runs_c[j].type != type) return std::nullopt;
      spec::Count& length = word[i].runs[j].length;
      if (!progress(runs_a[j].length, runs_b[j].length, runs_c[j].length, length)) {
        return std::nullopt;
      }
      // A product of two growing numbers would not be linear in Q.
      if (length.q != 0 && word[i].times.q != 0) return std::nullopt;
    }
  }
  return word;
}

Runs expand(const spec::Word& word, std::int64_t periods) {
  Runs runs;
  for (const spec::WordItem& item : word) {
    for (std::int64_t t = item.times.at(periods); t > 0; --t) {
      for (const spec::TypeRun& run : item.runs) append(runs, run.type, run.length.at(periods));
    }
  }
  return runs;
}

std::optional<Runs> word_of(const spec::Segment& segment, std::int64_t size) {
  if (size < segment.base) {
    const std::size_t at = size - segment.from;
    if (at >= segment.words.size()) return std::nullopt;
    return expand(segment.words[at], 0);
  }
  if (segment.schemas.empty()) return std::nullopt;
  const std::int64_t past = size - segment.base;
  return expand(segment.schemas[past % segment.period], past / segment.period);
}

std::optional<Runs> word_of(const spec::Axis& axis, std::int64_t size, bool beyond) {
  for (const spec::Segment& segment : axis) {
    if (size < segment.from) return std::nullopt;
    const bool is_last = &segment == &axis.back();
    if (size <= segment.to || (is_last && beyond)) return word_of(segment, size);
  }
  return std::nullopt;
}

}  // namespace reprosum::reveal::region

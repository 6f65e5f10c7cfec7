// The regions of one call of gemv or gemm as they are drawn: which output follows which order.
//
// Only a view: nothing is ever computed from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::report {

// Neighbouring rows (or columns) whose outputs all have the same classes.
struct Band {
  std::int64_t first = 0, count = 0;
};

// bands[from .. to) stand for themselves and the times - 1 like ones that follow them.
struct Repeat {
  std::size_t from = 0, to = 0;
  std::int64_t times = 1, length = 0;  // length: rows of one time
};

struct BandAxis {
  std::vector<Band> bands;      // those that are drawn
  std::vector<Repeat> repeats;  // ascending, disjoint; empty if every band is drawn
  std::int64_t size = 0;
};

struct RegionClass {
  int number = 0;  // in the regime
  std::int64_t outputs = 0;
  std::string order;   // in one line
  std::string remark;  // what else is to be said, or ""
};

struct RegionPicture {
  spec::Shape3 shape;
  bool is_vector = false;  // gemv: one column
  BandAxis rows, columns;
  std::vector<std::vector<int>> classes;  // of row band and column band: index into `legend`
  std::vector<RegionClass> legend;        // those that the shape has, by number
};

inline constexpr std::size_t kMostBands = 24;    // of an axis; more are folded where they repeat
inline constexpr std::size_t kLargestMap = 400;  // bands of an axis; more are not drawn

// @pre the map is one of an entry of the spec for the shape.
// Throws UserError if more than kLargestMap bands of an axis are left after folding.
RegionPicture region_picture(const spec::Spec& spec, const spec::RegionMap& map,
                             const spec::Shape3& shape, bool is_vector);

struct RegionCaption {
  std::string title;     // "sgemm NT, m = 100, n = 100, k = 100"
  std::string context;   // which calls
  std::string regime;    // the regime in one line
  std::string identity;  // hash and origin
};

// A letter or digit per output where that fits a terminal, else one per pair of bands; a legend.
std::string render_region_text(const RegionPicture& picture, const RegionCaption& caption);

// Complete and self-contained; carries its own background, so that it reads on any page.
std::string render_region_svg(const RegionPicture& picture, const RegionCaption& caption);

std::string class_symbol(int number);  // one character: 0..9, a..z, A..Z, then *
std::string share_text(const RegionPicture& picture,
                       const RegionClass& which);  // "9,216 outputs, 92 %"

}  // namespace reprosum::report

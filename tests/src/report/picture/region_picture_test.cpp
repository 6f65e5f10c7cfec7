// The drawn map: every output has the class that the rule gives it, however it is folded.
#include "src/report/picture/region_picture.h"

#include <gtest/gtest.h>

#include <string>

#include "spec/error.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::report {
namespace {

// The band that holds an index, repeats unrolled.
std::size_t band_of(const BandAxis& axis, std::int64_t index) {
  for (const Repeat& repeat : axis.repeats) {
    const std::int64_t first = axis.bands[repeat.from].first;
    if (index >= first && index < first + repeat.times * repeat.length)
      index = first + (index - first) % repeat.length;
  }
  for (std::size_t b = 0; b < axis.bands.size(); ++b)
    if (index >= axis.bands[b].first && index < axis.bands[b].first + axis.bands[b].count) return b;
  ADD_FAILURE() << "no band holds " << index;
  return 0;
}

TEST(RegionPicture, EveryOutputHasItsClass) {
  int folds = 0, checked = 0;
  for (const spec::Spec& spec : spec::samples::all_regions()) {
    const spec::Entry& entry = spec.entries[0];
    const bool is_vector = entry.routine == spec::Routine::gemv;
    for (const std::int64_t m : {1, 7, 30, 100, 333, 640, 2048})
      for (const std::int64_t n : {1, 5, 29, 100, 1000})
        for (const std::int64_t k : {10, 100}) {
          const spec::Shape3 shape{m, is_vector ? 1 : n, k};
          const auto map = spec::regions(entry.regimes, shape);
          if (!map) continue;
          ++checked;
          const RegionPicture picture = region_picture(spec, *map, shape, is_vector);
          folds += !picture.rows.repeats.empty() + !picture.columns.repeats.empty();
          std::int64_t outputs = 0, wrong = 0;
          for (const RegionClass& which : picture.legend) outputs += which.outputs;
          EXPECT_EQ(outputs, shape.m * shape.n);
          for (std::int64_t i = 0; i < shape.m; i += 1 + shape.m / 200)
            for (std::int64_t j = 0; j < shape.n; j += 1 + shape.n / 200) {
              const int drawn =
                  picture.classes[band_of(picture.rows, i)][band_of(picture.columns, j)];
              wrong +=
                  picture.legend[static_cast<std::size_t>(drawn)].number != map->class_at(i, j);
            }
          EXPECT_EQ(wrong, 0) << m << " x " << shape.n << " x " << k;
        }
  }
  EXPECT_GT(checked, 50);
  EXPECT_GT(folds, 5);
}

TEST(RegionPicture, StaysSmallForLargeShapes) {
  for (const spec::Spec& spec : spec::samples::all_regions()) {
    const spec::Entry& entry = spec.entries[0];
    const bool is_vector = entry.routine == spec::Routine::gemv;
    const spec::Shape3 shape{is_vector ? 2048 : 640, is_vector ? 1 : 2041, 1000};
    const auto map = spec::regions(entry.regimes, shape);
    ASSERT_TRUE(map);
    const RegionPicture picture = region_picture(spec, *map, shape, is_vector);
    const std::string svg = render_region_svg(picture, {"t", "c", "r", "i"});
    EXPECT_LT(svg.size(), 60000u);
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    EXPECT_LT(render_region_text(picture, {"t", "c", "r", "i"}).size(), 20000u);
  }
}

// Random words rarely repeat: such a map is refused with the way out, not drawn as noise.
TEST(RegionPicture, RefusesWhatNobodyCouldRead) {
  spec::Spec spec = spec::samples::skylakex_sgemv();
  spec::MatrixRegime regime = spec.entries[0].regimes[1];
  spec::RegionMap map{&regime, {}, {{0, 1, 0}}};
  std::int64_t at = 0;
  for (int k = 0; k < 1000; ++k) {
    const std::int64_t length = 1 + (k * k) % 997;
    map.rows.push_back({at, length, k % 2});
    at += length;
  }
  EXPECT_THROW(region_picture(spec, map, {at, 1, 100}, true), UserError);
}

}  // namespace
}  // namespace reprosum::report

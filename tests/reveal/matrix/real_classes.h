// The classes of outputs of one small shape of a real library.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/matrix/class_order.h"

namespace reprosum::reveal::test {

using CellList = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Outputs that give equal bits on the same data at every k that is looked at, largest class first.
inline std::vector<CellList> classes_of(Target& target, Call call) {
  FastRandom random(7);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint64_t>> signs;
  for (const std::int64_t k : {1, 2, 3, 4, 5, 6, 7, 8, 13, 40, 150}) {
    call.k = k;
    std::vector<UniformProbe> probes(20);
    for (std::size_t p = 0; p < probes.size(); ++p) {
      UniformProbe& probe = probes[p];
      probe.a.resize(std::size_t(k));
      probe.b.resize(std::size_t(k));
      fill(p % 2 == 0 ? Data::ordinary : Data::zeros, call.type, random, probe.a, probe.b);
      const auto scalar = [&] { return double(float(random.unit() * 2 - 1)); };
      probe.alpha = p % 4 < 2 ? scalar() : 1;
      probe.beta = p % 8 < 4 ? scalar() : 0;
      probe.c = p % 2 == 0 ? scalar() : -0.0;
    }
    const std::vector<std::uint64_t> hashes = target.signatures(call, probes);
    for (std::int64_t j = 0; j < call.n; ++j)
      for (std::int64_t i = 0; i < call.m; ++i)
        signs[{i, j}].push_back(hashes[std::size_t(i + j * call.m)]);
  }
  std::map<std::vector<std::uint64_t>, CellList> by_sign;
  for (const auto& [cell, sign] : signs) by_sign[sign].push_back(cell);
  std::vector<CellList> classes;
  for (auto& [sign, cells] : by_sign) classes.push_back(std::move(cells));
  std::stable_sort(classes.begin(), classes.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return classes;
}

}  // namespace reprosum::reveal::test

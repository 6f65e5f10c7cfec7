// The part of a spec that speaks of gemv and gemm: region rules and their evidence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "spec/format.h"
#include "spec/guard.h"
#include "spec/region.h"

namespace reprosum::spec {

// What was done to believe a region rule and its orders; outside the hash.
struct MatrixCertificate {
  std::int64_t shapes_learned = 0;   // shapes whose map was looked at while the rule was sought
  std::int64_t shapes_checked = 0;   // held-out shapes, every output compared by random replay
  std::int64_t outputs_checked = 0;  // outputs of these, bit-equal to the interpreter
  std::int64_t special_outputs = 0;  // those with signed zeros, subnormals, Inf or NaN in the data
  std::map<std::string, std::int64_t> classes;  // products by class of data, as of Certificate
  std::int64_t largest_m = 0, largest_n = 0, largest_k = 0;
  std::int64_t calls = 0;
  std::uint64_t seed = 0;
  std::vector<std::string> not_checked;  // plain sentences
  bool operator==(const MatrixCertificate&) const = default;
};

struct MatrixEntry {
  Routine routine{};
  Type type = Type::f32;
  Guard guard;
  std::vector<MatrixRegime> regimes;  // the first one whose guard holds decides
  std::int64_t m_max = 0, n_max = 0;  // no claim beyond
  MatrixCertificate certificate;
};

}  // namespace reprosum::spec

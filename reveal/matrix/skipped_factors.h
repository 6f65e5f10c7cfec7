// Which summands of a class are left out where one of their factors is zero.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/update_data.h"
#include "reveal/oracle.h"
#include "spec/order.h"

namespace reprosum::reveal {

// An infinity that meets a zero gives a NaN, and a zero of another sign than the sum's turns it to
// +0, unless the product is left out.
class SkippedFactors {
 public:
  SkippedFactors(CellTarget& cells, spec::Type type) : cells_(cells), type_(type) {}

  // The factors whose zeros leave a summand out at one of some sizes of [k_min, k_max], close above
  // k_min.
  std::vector<spec::Skip> look(std::int64_t k_min, std::int64_t k_max);
  // Which of the summands [lo, hi) of k a zero of `factor` (x or y) leaves out. If there are many
  // summands, both ends and some between are asked first, and all of them only if these differ.
  std::vector<bool> left_out(std::int64_t k, spec::Skip factor, std::int64_t lo, std::int64_t hi);
  // The same of single summands.
  std::vector<bool> left_out(std::int64_t k, spec::Skip factor,
                             const std::vector<std::int64_t>& summands);

 private:
  std::vector<bool> ask(std::int64_t k, spec::Skip factor,
                        const std::vector<std::int64_t>& summands);
  // The outputs where every `factor` is +0 and the other ones are `usual`, but for summands[row] of
  // each row that is `odd`; a negative summand is none.
  std::vector<double> outputs(std::int64_t k, spec::Skip factor,
                              const std::vector<std::int64_t>& summands, double usual, double odd);

  CellTarget& cells_;
  const spec::Type type_;
  std::map<std::pair<std::int64_t, spec::Skip>, std::map<std::int64_t, bool>> known_;
};

// Another oracle's trees with the skips of their leaves. `factors` are the ones to look at.
std::unique_ptr<Oracle> with_skips(std::unique_ptr<Oracle> trees, CellTarget& cells,
                                   spec::Type type, std::vector<spec::Skip> factors,
                                   std::uint64_t seed);

// Each skip of the factor that alpha meets looks at the factor times alpha instead; the schema as
// it is where it has none.
spec::Schema with_scaled_skips(const spec::Schema& schema);
// The same in every schema of the order.
spec::Order with_scaled_skips(const spec::Order& order);

// Rows whose factors are zero, vanish when alpha meets them, or neither; where they are or do, half
// of the rows have an infinity.
UpdateRows vanishing_update(CellTarget& cells, spec::Type type, std::int64_t k, std::int64_t rows,
                            FastRandom& random);

}  // namespace reprosum::reveal

#include <algorithm>
#include <cstring>

#include "kernels/plan/pieces.h"
#include "kernels/program/widths.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate.h"
#include "tests/kernels/cross_cases.h"

namespace reprosum::kernels::test {
namespace {

template <class T>
std::uint64_t bits(T value) {
  std::uint64_t all = 0;
  std::memcpy(&all, &value, sizeof value);
  return all;
}

bool is_defined(const spec::Order& order, int n) {
  const std::vector<float> zeros(static_cast<std::size_t>(n));
  try {
    spec::evaluate<float>(order, n, zeros.data(), 1, nullptr, 1);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

// The lengths that the order is defined at by this regime, as ranges.
std::vector<std::pair<int, int>> lengths_of(const spec::Order& order, const spec::Regime& regime) {
  std::vector<std::pair<int, int>> all;
  bool goes_on = false;
  for (const int n : kCrossLengths) {
    const bool defined = regime.lo <= n && n <= regime.hi && is_defined(order, n);
    if (defined && goes_on) all.back().second = n;
    if (defined && !goes_on) all.emplace_back(n, n);
    goes_on = defined;
  }
  return all;
}

}  // namespace

void CrossCases::add(const std::string& name, const spec::Order& order, spec::Routine routine,
                     spec::Type type) {
  spec::is_f32(type) ? add_sums<float>(name, order, routine)
                     : add_sums<double>(name, order, routine);
}

template <class T>
void CrossCases::add_sums(const std::string& name, const spec::Order& order,
                          spec::Routine routine) {
  const spec::Type type = spec::type_of<T>();
  const std::size_t before = ahead_.objects().size();
  ahead_.add(order, routine, type);
  const std::vector<Piece> pieces = pieces_of(order);
  const auto add_named = [&](std::size_t k, const std::string& function, CrossRow row) {
    for (std::size_t o = before; o < ahead_.objects().size(); ++o) {
      const AheadObject& object = ahead_.objects()[o];
      if (std::find(object.functions.begin(), object.functions.end(), function) !=
          object.functions.end())
        add_functions<T>(name + ", piece " + std::to_string(k), pieces[k], row,
                         object.prefix + function);
    }
  };
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (!pieces[k].is_whole()) continue;  // what walks around its code is the library's part
    CrossRow row{};
    row.is_f32 = sizeof(T) == 4;
    row.has_y = routine == spec::Routine::dot;
    row.rows = 1;
    for (const bool wide : {false, true}) {
      row.is_wide = wide;
      row.kind = CrossRow::single;
      add_named(k, piece_name(k, wide), row);
      row.kind = CrossRow::strided;
      add_named(k, strided_name(k, wide), row);
    }
    row.is_wide = false;
    row.kind = CrossRow::batch;
    for (const int rows : program::kBatchRows)
      for (const bool shared : {false, true}) {
        row.rows = rows;
        row.shares_y = shared;
        add_named(k, batch_name(k, rows, shared), row);
      }
  }
}

template <class T>
void CrossCases::add_functions(const std::string& name, const Piece& piece, CrossRow row,
                               const std::string& function) {
  // What adds the piece up with others, and zero_start, are the library's part.
  spec::Order order = *piece.order;
  order.zero_start = false;
  for (const auto& [first, last] : lengths_of(order, *piece.regime)) {
    CrossCase made{row, name, function, {}};
    made.row.first_length = first;
    made.row.last_length = last;
    made.row.seed = static_cast<unsigned>(all_.size());
    for (const int n : cross_lengths(made.row)) {
      const CrossVectors<T> data(made.row, n);
      for (int k = 0; k < row.rows; ++k)
        made.wanted.push_back(bits(spec::evaluate<T>(
            order, n, data.x(k), data.incx(), row.has_y ? data.y(k) : nullptr, data.incy())));
    }
    if (!made.wanted.empty()) all_.push_back(std::move(made));
  }
}

}  // namespace reprosum::kernels::test

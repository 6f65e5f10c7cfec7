#include "src/report/address_cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "spec/error.h"

namespace reprosum::report {
namespace {

constexpr int kAlignments = 7;  // 1, 2, 4 ... 64
constexpr std::size_t kMostCells = 4096;

// Calls divisible by some powers of two, a bit for each: "" for every one.
std::string alignment_text(const std::set<int>& alignments) {
  constexpr std::uint32_t kEvery = (1u << kAlignments) - 1;
  std::uint32_t bits = 0;
  for (const int k : alignments) bits |= 1u << k;
  for (int k = 0; k < kAlignments; ++k) {
    if (bits != (kEvery & ~((1u << k) - 1))) continue;
    return k == 0 ? ""
                  : fmt::format(", addresses and leading dimensions multiples of {} bytes", 1 << k);
  }
  std::string list;
  for (const int k : alignments) list += fmt::format("{}{}", list.empty() ? "" : " or ", 1 << k);
  return ", addresses and leading dimensions multiples of " + list + " bytes, not of more";
}

}  // namespace

AddressCells::AddressCells(const std::vector<const spec::Entry*>& entries)
    : routine_(entries.front()->routine), type_(entries.front()->type) {
  moduli_.fill(1);
  int step = spec::bytes(type_);  // between the addresses that are told apart
  for (const spec::Entry* entry : entries) {
    const spec::Guard& guard = entry->guard;
    is_by_operand_ = is_by_operand_ || !guard.addresses.is_any();
    for (std::size_t k = 0; k < spec::address_places(routine_); ++k)
      moduli_[k] = std::max({moduli_[k], guard.addresses.moduli[k], guard.alignment});
    for (const spec::Residues& residues : guard.addresses.residues)
      step = std::min(step, spec::alignment_of(residues));
  }
  if (!is_by_operand_) {
    for (int k = 0; k < kAlignments; ++k)
      cells_.emplace_back().fill((1 << k) % spec::kAddressModulus);
    return;
  }
  auto cells = spec::residues_below(moduli_, step, kMostCells);
  if (!cells)
    throw UserError(spec::blas_name(routine_, type_) +
                    ": the guards of both files tell more than " + std::to_string(kMostCells) +
                    " combinations of addresses apart");
  cells_ = std::move(*cells);
}

bool AddressCells::admits(const spec::Guard& guard, int cell) const {
  const spec::Residues& residues = cells_[static_cast<std::size_t>(cell)];
  return spec::alignment_of(residues) % guard.alignment == 0 && guard.addresses.admits(residues);
}

std::string AddressCells::text(const std::set<int>& cells) const {
  if (!is_by_operand_) return alignment_text(cells);
  spec::AddressGuard guard{moduli_, {}};
  for (const int cell : cells) guard.residues.push_back(cells_[static_cast<std::size_t>(cell)]);
  spec::canonicalize(guard, type_);
  return guard.is_any() ? "" : ", " + spec::describe(guard, routine_) + " bytes";
}

}  // namespace reprosum::report

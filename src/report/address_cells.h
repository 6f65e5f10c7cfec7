// The addresses and leading dimensions that the guards of some entries tell apart.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::report {

class AddressCells {
 public:
  // Throws UserError where the guards tell more than 4096 apart. @pre entries of one routine and
  // type, not none.
  explicit AddressCells(const std::vector<const spec::Entry*>& entries);

  int count() const { return static_cast<int>(cells_.size()); }
  bool admits(const spec::Guard& guard, int cell) const;
  // ", addresses and leading dimensions multiples of 16 bytes"; "" for all cells.
  std::string text(const std::set<int>& cells) const;

 private:
  spec::Routine routine_;
  spec::Type type_;
  bool is_by_operand_ = false;         // some guard asks about single operands
  spec::Residues moduli_;              // then: the greatest of all guards
  std::vector<spec::Residues> cells_;  // else: all divisible by 1, 2, 4 ... 64
};

}  // namespace reprosum::report

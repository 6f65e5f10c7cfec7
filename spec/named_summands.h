// What a schema names on a domain of q and r, as one polynomial.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "spec/linear.h"
#include "spec/mersenne_field.h"
#include "spec/order.h"

namespace reprosum::spec {

// Where a domain has to be cut: its second half begins at this q or r.
struct Cut {
  bool on_q = true;
  std::int64_t at = 0;
};
// The longer side in two. @pre the domain has more than one point.
Cut middle(const Domain& domain);

class NamedSummands {
 public:
  // The schema outlives it; n is the number of summands.
  NamedSummands(const Schema& schema, const Linear& n, const Domain& domain);

  // Whether each of 0..n-1 is named once, everywhere on the domain; false says only that this is
  // no identity in q and r, unless the domain is one point. Throws a Cut where it is not certain
  // what is present, and TooLarge.
  bool are_all();

  // @pre are_all(). Throws UserError for what a walk would refuse, or not get through: a place of
  // something present far beyond n, absent chains of absent chains without end.
  void check_walk(const std::string& where) const;

 private:
  struct Chain {
    Residue names{};   // the polynomial at the point
    double count = 0;  // at most so many summands
    bool absent = true;
    std::int64_t visits = 1;  // of absent chains by a walk through one copy
  };
  Residue monomial(const Linear& at) const;
  bool varies(const Linear& value) const;
  bool is_absent(const Item& item) const;
  void add(const Item& item, Chain& sum);
  Residue copies(const Linear& times, const Linear& step);
  Residue inverse(Residue value, const Linear& step);
  Cut cut_at(const Linear& value) const;
  void check_near(const Item& item, const std::string& where) const;

  const Schema& schema_;
  const Linear n_;
  const Domain domain_;
  std::vector<Chain> chains_;
  std::map<Linear, Residue> inverses_;
};

}  // namespace reprosum::spec

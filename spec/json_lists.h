// Lists of integers and pairs, read strictly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spec/json_document.h"

namespace reprosum::spec {

template <class List>
void read_list(const Place& place, List& list, std::int64_t least, std::int64_t greatest) {
  list.reserve(place.size());
  for (std::size_t k = 0; k < place.size(); ++k)
    list.push_back(static_cast<typename List::value_type>(place[k].integer(least, greatest)));
}

template <class List>
void read_pairs(const Place& place, List& list, std::int64_t least, std::int64_t greatest) {
  using Value = typename List::value_type::first_type;
  for (std::size_t k = 0; k < place.size(); ++k) {
    const Place at = place[k];
    if (at.size() != 2) at.fail("expected a pair");
    list.emplace_back(static_cast<Value>(at[std::size_t{0}].integer(least, greatest)),
                      static_cast<Value>(at[1].integer(least, greatest)));
  }
}

// The reader takes only what canonicalize() leaves, so that equal guards are equal bytes.
template <class List>
void expect_ascending(const Place& place, const List& list) {
  for (std::size_t k = 1; k < list.size(); ++k)
    if (!(list[k - 1] < list[k])) place[k].fail("must be greater than its predecessor");
}

}  // namespace reprosum::spec

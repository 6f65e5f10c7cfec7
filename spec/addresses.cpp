#include "spec/addresses.h"

#include <algorithm>

#include "spec/spec.h"

namespace reprosum::spec {
namespace {

void sort(std::vector<Residues>& residues) {
  std::sort(residues.begin(), residues.end());
  residues.erase(std::unique(residues.begin(), residues.end()), residues.end());
}

// Both halves of the modulus of this place admit the same.
bool can_halve(const AddressGuard& guard, std::size_t place) {
  return std::all_of(guard.residues.begin(), guard.residues.end(), [&](Residues other) {
    other[place] ^= guard.moduli[place] / 2;
    return std::binary_search(guard.residues.begin(), guard.residues.end(), other);
  });
}

}  // namespace

bool AddressGuard::admits(const Residues& of_call) const {
  return residues.empty() ||
         std::binary_search(residues.begin(), residues.end(), reduced(of_call, moduli));
}

AddressGuard vector_addresses(int modulus, const std::vector<std::pair<int, int>>& pairs) {
  AddressGuard guard;
  if (modulus == 1) return guard;
  guard.moduli[0] = guard.moduli[1] = modulus;
  for (const auto& [x, y] : pairs) guard.residues.push_back({x, y, 0, 0, 0, 0});
  return guard;
}

int alignment_of(const Residues& residues) {
  int bits = kAddressModulus;
  for (const int residue : residues) bits |= residue;
  return bits & -bits;
}

Residues reduced(const Residues& residues, const Residues& moduli) {
  Residues out;
  for (std::size_t k = 0; k < kAddressPlaces; ++k) out[k] = residues[k] & (moduli[k] - 1);
  return out;
}

std::optional<std::vector<Residues>> residues_below(const Residues& moduli, int size,
                                                    std::size_t most) {
  std::vector<Residues> all{{}};
  for (std::size_t place = 0; place < kAddressPlaces; ++place) {
    const std::size_t before = all.size();
    for (int residue = size; residue < moduli[place]; residue += size) {
      for (std::size_t k = 0; k < before; ++k) {
        all.push_back(all[k]);
        all.back()[place] = residue;
      }
    }
    if (all.size() > most) return std::nullopt;
  }
  return all;
}

void canonicalize(AddressGuard& guard, Type type) {
  const int size = bytes(type);
  sort(guard.residues);
  if (guard.residues.empty()) guard.moduli.fill(1);
  for (std::size_t place = 0; place < kAddressPlaces; ++place)
    while (guard.moduli[place] > 1 && (guard.moduli[place] <= size || can_halve(guard, place))) {
      int& modulus = guard.moduli[place];
      // Every address is a multiple of the element's size.
      modulus = modulus / 2 <= size ? 1 : modulus / 2;
      for (Residues& residues : guard.residues) residues[place] &= modulus - 1;
      sort(guard.residues);
    }
  if (guard.moduli == AddressGuard{}.moduli) guard.residues.clear();
}

std::string describe(const AddressGuard& guard, Routine routine) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < address_places(routine); ++k)
    if (guard.moduli[k] > 1) places.push_back(k);
  if (guard.is_any() || places.empty()) return "";
  const bool one = places.size() == 1;
  std::string left, right;
  for (const std::size_t k : places) {
    left += std::string(left.empty() ? "" : ", ") + address_name(routine, k);
    if (!one) left += " mod " + std::to_string(guard.moduli[k]);
  }
  // A table of contexts stays readable; the spec has all of them.
  constexpr std::size_t most_listed = 8, listed_of_many = 4;
  const std::size_t all = guard.residues.size();
  for (std::size_t at = 0; at < (all > most_listed ? listed_of_many : all); ++at) {
    const Residues& residues = guard.residues[at];
    std::string list;
    for (const std::size_t k : places)
      list += (list.empty() ? "" : ", ") + std::to_string(residues[k]);
    right += (right.empty() ? "" : " or ") + (one ? list : "(" + list + ")");
  }
  if (all > most_listed) right += " or " + std::to_string(all - listed_of_many) + " others";
  if (one) return left + " = " + right + " mod " + std::to_string(guard.moduli[places[0]]);
  return "(" + left + ") = " + right;
}

}  // namespace reprosum::spec

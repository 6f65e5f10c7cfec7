// The canonical form and the words of guards over addresses.
#include <gtest/gtest.h>

#include <random>

#include "spec/spec.h"

namespace reprosum::spec {
namespace {

// Every residue of elements of `size` bytes, per place one of a few values.
std::vector<Residues> some_residues(int size, int count, std::mt19937_64& random) {
  std::vector<Residues> out;
  for (int k = 0; k < count; ++k)
    for (int& residue : out.emplace_back())
      residue = size * static_cast<int>(random() % static_cast<unsigned>(64 / size));
  return out;
}

TEST(Addresses, TheCanonicalFormAdmitsTheSame) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Type type = seed % 2 == 0 ? Type::f32 : Type::f64;
    const int size = bytes(type);
    AddressGuard guard;
    for (int& modulus : guard.moduli)
      if (random() % 3 == 0) modulus = size << random() % 3;
    for (Residues one : some_residues(size, 1 + static_cast<int>(random() % 12), random)) {
      one = reduced(one, guard.moduli);
      guard.residues.push_back(one);
      // Half of the time a modulus is too large on purpose.
      for (std::size_t k = 0; k < kAddressPlaces; ++k)
        if (seed % 3 == 0 && guard.moduli[k] > size) {
          one[k] ^= guard.moduli[k] / 2;
          guard.residues.push_back(reduced(one, guard.moduli));
        }
    }
    AddressGuard canonical = guard;
    canonicalize(canonical, type);
    AddressGuard again = canonical;
    canonicalize(again, type);
    EXPECT_EQ(again, canonical);
    for (std::size_t k = 0; k < kAddressPlaces; ++k)
      EXPECT_TRUE(canonical.moduli[k] == 1 ||
                  (canonical.moduli[k] > size && canonical.moduli[k] <= guard.moduli[k]));
    const auto admitted = [&](const Residues& call) {
      return std::find(guard.residues.begin(), guard.residues.end(), reduced(call, guard.moduli)) !=
             guard.residues.end();
    };
    for (const Residues& call : some_residues(size, 200, random))
      EXPECT_EQ(canonical.admits(call), admitted(call));
    for (const Residues& call : guard.residues) EXPECT_TRUE(canonical.admits(call));
  }
}

TEST(Addresses, WhatAdmitsEveryAddressIsNoGuard) {
  AddressGuard guard{{1, 1, 16, 1, 1, 1}, {{0, 0, 0, 0, 0, 0}, {0, 0, 8, 0, 0, 0}}};
  canonicalize(guard, Type::f64);
  EXPECT_EQ(guard, AddressGuard{});
  EXPECT_TRUE(guard.is_any());
}

TEST(Addresses, ANeedlessModulusIsHalved) {
  AddressGuard guard{{32, 1, 1, 1, 1, 1}, {{8, 0, 0, 0, 0, 0}, {24, 0, 0, 0, 0, 0}}};
  canonicalize(guard, Type::f64);
  EXPECT_EQ(guard, (AddressGuard{{16, 1, 1, 1, 1, 1}, {{8, 0, 0, 0, 0, 0}}}));
}

TEST(Addresses, Words) {
  const AddressGuard one{{1, 1, 16, 1, 1, 1}, {{0, 0, 8, 0, 0, 0}}};
  EXPECT_EQ(describe(one, Routine::gemv), "y = 8 mod 16");
  EXPECT_EQ(describe(one, Routine::gemm), "C = 8 mod 16");
  const AddressGuard two{{16, 1, 1, 16, 1, 1}, {{0, 0, 0, 8, 0, 0}, {8, 0, 0, 0, 0, 0}}};
  EXPECT_EQ(describe(two, Routine::gemv), "(A mod 16, lda mod 16) = (0, 8) or (8, 0)");
  EXPECT_EQ(describe(AddressGuard{}, Routine::gemv), "");
  AddressGuard many = one;
  many.residues.clear();
  for (int residue = 0; residue < 9; ++residue) many.residues.push_back({0, 0, residue, 0, 0, 0});
  EXPECT_EQ(describe(many, Routine::gemv), "y = 0 or 1 or 2 or 3 or 5 others mod 16");
  EXPECT_EQ(alignment_of({0, 0, 0, 0, 0, 0}), 64);
  EXPECT_EQ(alignment_of({0, 16, 48, 8, 0, 0}), 8);
}

}  // namespace
}  // namespace reprosum::spec

// Where the operands of a call lie in memory, as far as an order may depend on it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reprosum::spec {

enum class Routine : std::uint8_t;
struct Type;

// Bytes modulo 64 of the column-major problem: the addresses of A, B and C, then their leading
// dimensions. For gemv, B is x and C is y, and the last two are 0; sum and dot have x and y alone,
// which come first. A vector's address is that of its lowest element, which is also what a caller
// passes to BLAS with a negative increment.
inline constexpr std::size_t kAddressPlaces = 6;
inline constexpr int kAddressModulus = 64;
using Residues = std::array<int, kAddressPlaces>;

// Which residues a region rule is for. Guards that differ in these only hold disjoint residues
// where a capture wrote them; nothing relies on it.
struct AddressGuard {
  Residues moduli{1, 1, 1, 1, 1, 1};  // powers of two up to 64; 1: any
  // The admitted residues, each below its modulus, ascending; empty: every modulus is 1.
  std::vector<Residues> residues;

  bool is_any() const { return residues.empty(); }
  bool admits(const Residues& of_call) const;
  auto operator<=>(const AddressGuard&) const = default;
};

// A document has no more residues in one guard.
inline constexpr std::size_t kMostResidues = 1024;

// How many of the places a routine has, and what they are called: gemv has 4 ("A", "x", "y",
// "lda"), dot has 2 ("x", "y").
std::size_t address_places(Routine routine);
const char* address_name(Routine routine, std::size_t place);

// The largest power of two up to 64 that divides every residue.
int alignment_of(const Residues& residues);
// Each residue modulo its modulus. The moduli are powers of two.
Residues reduced(const Residues& residues, const Residues& moduli);
// Every combination of multiples of `size` below the moduli, all zeros first; none if there are
// more than `most`.
std::optional<std::vector<Residues>> residues_below(const Residues& moduli, int size,
                                                    std::size_t most);

// @post the least moduli with the same meaning for elements of the type, residues ascending.
void canonicalize(AddressGuard& guard, Type type);

// The guard of a sum or dot that admits these pairs of addresses of x and y, all modulo one number;
// no pairs if that is 1. For a sum the second values are 0.
AddressGuard vector_addresses(int modulus, const std::vector<std::pair<int, int>>& pairs);

// "", "y = 8 mod 16", or "(A mod 16, lda mod 16) = (0, 8) or (8, 0)"; the first few of more than
// eight residues, and how many others there are.
std::string describe(const AddressGuard& guard, Routine routine);

}  // namespace reprosum::spec

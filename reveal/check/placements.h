// Addresses, relative places and identities of operands that a library may ask about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/target.h"

namespace reprosum::reveal {

// How many operands of memory a routine has: sum 1, dot 2, gemv and gemm 3.
int operands_of(spec::Routine routine);
// "x", "y"; "A", "x", "y"; "A", "B", "C".
std::string operand_name(spec::Routine routine, int operand);

// A call that differs from another one in where its operands lie alone, and in what.
struct Placement {
  std::string what;  // "bit 6 of the address of x", "y below x"
  Call call;
};

// The call with its addresses chosen modulo kPlaceBytes, so that `bytes` are added to those of its
// line; `bytes` are multiples of kLineBytes.
Call placed(const Call& call, const std::vector<std::int64_t>& bytes);

// The places to compare with placed(call, {0, 0, 0}): each bit of an address from kLineBytes to
// kPlaceBytes, of each operand and of all; addresses that are alike modulo 4 KiB, or nearly; later
// operands below earlier ones; and `random` other ones, which combine all that. A target that gives
// one set of bits for all of them does not ask about any, as far as those data show. The data need
// not be of a kind; that two operands are one is asked elsewhere, as it needs equal data.
// @pre call.place is as it is at first
std::vector<Placement> placements(const Call& call, int random, FastRandom& source);

// Any of these places for the operands of a call whose residues modulo a line it keeps.
Call anywhere(const Call& call, FastRandom& random);

}  // namespace reprosum::reveal

// The words of the order language, shared by text and JSON. Add-only: an unknown word is an error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::spec {

template <class Enum, std::size_t N>
using Words = std::array<std::pair<Enum, const char*>, N>;

inline constexpr Words<Split::Kind, 11> kSplitWords{{{Split::Kind::half_down, "half_down"},
                                                     {Split::Kind::half_up, "half_up"},
                                                     {Split::Kind::ceil_half_up, "ceil_half_up"},
                                                     {Split::Kind::half_near, "half_near"},
                                                     {Split::Kind::pow2_below, "pow2_below"},
                                                     {Split::Kind::pow2_half, "pow2_half"},
                                                     {Split::Kind::last, "last"},
                                                     {Split::Kind::last_const, "last_const"},
                                                     {Split::Kind::first, "first"},
                                                     {Split::Kind::first_rest, "first_rest"},
                                                     {Split::Kind::remainder, "remainder"}}};

inline constexpr Words<Parts::Kind, 8> kPartsWords{{{Parts::Kind::balanced_up, "balanced_up"},
                                                    {Parts::Kind::balanced_ceil, "balanced_ceil"},
                                                    {Parts::Kind::ceil, "ceil"},
                                                    {Parts::Kind::floor, "floor"},
                                                    {Parts::Kind::even, "even"},
                                                    {Parts::Kind::proportional, "proportional"},
                                                    {Parts::Kind::rest, "rest"},
                                                    {Parts::Kind::fixed, "fixed"}}};

inline constexpr Words<NodeFormat, 2> kFormatWords{
    {{NodeFormat::narrow, "narrow"}, {NodeFormat::wide, "wide"}}};

inline constexpr Words<Fused::Sum, 1> kFusedSumWords{{{Fused::Sum::exact, "exact"}}};

inline constexpr Words<Leaf, 6> kLeafWords{{{Leaf::rounded, "."},
                                            {Leaf::fused, "f"},
                                            {Leaf::exact, "x"},
                                            {Leaf::zero, "0"},
                                            {Leaf::out, "out"},
                                            {Leaf::out_fused, "outf"}}};

// How an order flushes; none is not written.
inline constexpr Words<Flush, 3> kFlushWords{
    {{Flush::inputs, "inputs"}, {Flush::results, "results"}, {Flush::both, "both"}}};

// What stands before a scaled shape.
inline constexpr Words<Scale, 4> kScaleMarks{
    {{Scale::x, "<"}, {Scale::y, ">"}, {Scale::rounded, "*"}, {Scale::fused, "&"}}};

// What stands before that, of a product that a zero factor leaves out.
inline constexpr Words<Skip, 3> kSkipMarks{{{Skip::x, "~"}, {Skip::y, "^"}, {Skip::scaled, "?"}}};

// Where alpha meets the pieces of parts; none is not written.
inline constexpr Words<Scale, 2> kPieceScaleWords{
    {{Scale::rounded, "rounded"}, {Scale::fused, "fused"}}};
inline constexpr Words<Parts::Onto, 3> kOntoWords{
    {{Parts::Onto::first, "first"}, {Parts::Onto::fused, "fused"}, {Parts::Onto::zero, "zero"}}};

inline constexpr Words<MatrixClass::BetaZero, 5> kBetaZeroWords{
    {{MatrixClass::BetaZero::store, "store"},
     {MatrixClass::BetaZero::drop, "drop"},
     {MatrixClass::BetaZero::drop_zeros, "drop_zeros"},
     {MatrixClass::BetaZero::store_beta, "store_beta"},
     {MatrixClass::BetaZero::multiply, "multiply"}}};

inline constexpr Words<MatrixClass::AlphaZero, 2> kAlphaZeroWords{
    {{MatrixClass::AlphaZero::skip, "skip"}, {MatrixClass::AlphaZero::compute, "compute"}}};

// sum and dot have the last two, gemv and gemm the others.
inline constexpr Words<EmptyRule::Result, 6> kEmptyResultWords{
    {{EmptyRule::Result::keep, "keep"},
     {EmptyRule::Result::scale, "scale"},
     {EmptyRule::Result::add, "add"},
     {EmptyRule::Result::fuse, "fuse"},
     {EmptyRule::Result::plus_zero, "+0"},
     {EmptyRule::Result::minus_zero, "-0"}}};

inline constexpr Words<Leading, 3> kLeadingWords{
    {{Leading::any, "any"}, {Leading::tight, "tight"}, {Leading::padded, "padded"}}};

inline constexpr Words<Beta, 3> kBetaWords{
    {{Beta::any, "any"}, {Beta::one, "one"}, {Beta::other, "other"}}};

// @pre the value is one of the table's.
template <class Enum, std::size_t N>
const char* word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [v, word] : words)
    if (v == value) return word;
  return "?";
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const Words<Enum, N>& words, std::string_view word) {
  for (const auto& [v, w] : words)
    if (word == w) return v;
  return std::nullopt;
}

std::optional<Routine> routine_from_name(std::string_view name);  // "dot"; spec.h has name()

// The error for a word that names no fused sum: which ones are known, and that the arithmetic of
// matrix units is not yet.
std::string unknown_fused_sum(std::string_view word);

// a, b, c, ... z, aa, ab, ...: the name of chain `index` in the text language. The letters f, q, r
// and x have a meaning of their own there and are left out.
std::string chain_name(std::size_t index);

// Limits on a document, so that a hostile one costs bounded memory. Every integer of an order lies
// in -kMaxInteger..kMaxInteger: then a*q + b*r + c cannot overflow for n <= 2^20.
inline constexpr std::int64_t kMaxInteger = kMaxLeaves;
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20;
// Deeper sub-orders are refused by validate() too; parsers stop before they recurse further.
inline constexpr int kMaxSubDepth = 8;
// Regimes, subs, cases, entries, chains and items together.
inline constexpr std::size_t kMaxPieces = std::size_t{1} << 22;

}  // namespace reprosum::spec

// A summation tree as it is drawn: small ones whole, large ones folded into runs and copies.
//
// Only a view: nothing is ever computed from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/order.h"
#include "spec/tree.h"

namespace reprosum::report {

// An operand that stands for `copies` equal ones: the first is drawn, the k-th one's summands are
// those of the first plus k * step (or irregular, if step is 0).
struct Operand {
  int part = 0;
  std::int64_t copies = 1;
  std::int64_t step = 0;
  bool in_turn = false;  // a run whose summands are added one by one, not their sum
};

struct Part {
  enum class Kind : std::uint8_t {
    leaf,       // one summand, the constant +0 (leaf == zero) or the output (out, out_fused)
    run,        // summands added one after another: first + t*step + u*step2
    add,        // left + right
    fused,      // operands added at once and rounded once
    fold,       // operands added from left to right, copies one by one
    fold_back,  // the same from right to left
    balanced,   // one operand, copies == 2^k, added pairwise
    scaled,     // the one operand times alpha
    piece,      // not drawn: `leaves` summands in an order that is drawn elsewhere, or too much
  };
  Kind kind = Kind::leaf;
  spec::Leaf leaf = spec::Leaf::rounded;               // leaf, run
  spec::NodeFormat format = spec::NodeFormat::narrow;  // what adds
  bool stored = false;                    // add: its wide sum is rounded where it is added
  spec::Scale scale = spec::Scale::none;  // leaf, run: of each summand; scaled: of the value
  spec::Skip skip = spec::Skip::none;     // leaf, run: which zero leaves a summand out
  std::int64_t first = 0;                 // least summand; without any, its neighbour's
  std::int64_t leaves = 1;                // summands below, copies included
  std::int64_t step = 0, times = 1, step2 = 0, times2 = 1;  // run
  std::vector<Operand> operands;                            // left to right
  std::string note;                                         // piece: what it is
  bool is_bottom() const { return operands.empty(); }
};

struct Picture {
  std::vector<Part> parts;  // operands before what uses them
  int root = 0;
  std::int64_t n = 0;
  bool folded = false;
  std::vector<std::string> remarks;
};

inline constexpr std::int64_t kLargestWhole = 64;
inline constexpr int kDrawingWidth = 36;  // parts at the bottom of one schema
inline constexpr int kOutlineWidth = 8;

// Every leaf and every addition.
Picture whole_picture(const spec::Tree& tree);

// Runs as one part each, equal operands as one with a count; the number of parts is bounded
// whatever n is. @pre the order covers n.
// @post the root's leaves == n.
Picture folded_picture(const spec::Order& order, std::int64_t n, int width = kDrawingWidth);

// The whole one up to kLargestWhole summands, else the folded one.
Picture picture(const spec::Order& order, std::int64_t n, int width = kDrawingWidth);

// What the drawings share in words.
std::string run_text(const Part& run);  // "x[0] x[16] .. x[992]: 63"
// An fma of the routine's data or of alpha takes this part in, if it is not the first operand.
bool enters_fused(const Part& part);
bool adds_fused(const Picture& picture, const Part& part);  // an fma: its right operand is fused
bool is_output(const Part& part);                           // beta*C, not a summand

}  // namespace reprosum::report

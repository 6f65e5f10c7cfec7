#include "kernels/text/device_chain.h"

#include <fmt/format.h>

namespace reprosum::kernels::text {
namespace {

// Before it are defined TYPE, ADD and MUL of it, X (the parameters), ROW (x_row and y_row), STEP(a,
// k) (the accumulator a after summand k), FIRST (summand 0 alone), FIRST_STEP (of the chain), UNIT
// (u over 2^e), LEAST and MOST (the accumulators that have a binade here).
constexpr const char* kText = R"(
// Adds numbers of all work-items; every work-item gets the sum.
#define TOTAL(memory, value, total)                                          \
  memory[ITEM] = value;                                                      \
  BARRIER();                                                                 \
  for (int left = ITEMS / 2; left > 0; left /= 2) {                          \
    if (ITEM < left) memory[ITEM] = ADDD(memory[ITEM], memory[ITEM + left]); \
    BARRIER();                                                               \
  }                                                                          \
  total = memory[0];                                                         \
  BARRIER();

KERNEL(ITEMS) void chain_sums(X, I64 n, I64 rows, I64 blocks, GLOBAL double *values) {
  LOCAL double memory[ITEMS];
  const I64 block = GROUP % blocks, row = GROUP / blocks;
  ROW
  double sum = 0.0, total;
  for (int k = ITEM; k < BLOCK; k += ITEMS) {
    const I64 at = block * BLOCK + k;
    if (at < n) sum = ADDD(sum, (double)STEP((TYPE)0, at));
  }
  TOTAL(memory, sum, total)
  if (ITEM == 0) values[row * blocks + block] = total;
}

// Each work-item has neighbouring blocks. The end of a binade that is nearer to 0 is the number
// without its fraction; 0 stands for a guess that serves no block.
KERNEL(ITEMS) void chain_guesses(I64 blocks, GLOBAL double *values) {
  LOCAL double memory[ITEMS];
  GLOBAL double *row_values = values + GROUP * blocks;
  const I64 each = (blocks + ITEMS - 1) / ITEMS;
  const I64 first = ITEM * each, end = first + each < blocks ? first + each : blocks;
  double sum = 0.0;
  for (I64 k = first; k < end; ++k) sum = ADDD(sum, row_values[k]);
  memory[ITEM] = sum;
  BARRIER();
  sum = 0.0;
  for (int k = 0; k < ITEM; ++k) sum = ADDD(sum, memory[k]);
  for (I64 k = first; k < end; ++k) {
    union {
      double number;
      I64 bits;
    } start;
    start.number = sum;
    const double size = sum < 0.0 ? -sum : sum;
    sum = ADDD(sum, row_values[k]);
    start.bits &= ~(((I64)1 << 52) - 1);
    row_values[k] = size >= LEAST && size < MOST ? start.number : 0.0;
  }
}

// Sums of sizes that are Inf belong to blocks that do not hold: of no binade, or with ties.
KERNEL(ITEMS) void chain_blocks(X, I64 n, I64 rows, I64 blocks, GLOBAL double *values) {
  LOCAL double memory[ITEMS];
  const I64 block = GROUP % blocks, row = GROUP / blocks;
  ROW
  const TYPE end = (TYPE)values[row * blocks + block];
  const TYPE even = ADD(end, MUL(end, (TYPE)0.5)), unit = MUL(end, (TYPE)UNIT);
  const TYPE odd = ADD(even, unit);
  double net = 0.0, size = 0.0, total_net, total_size;
  for (int k = ITEM; k < BLOCK; k += ITEMS) {
    const I64 at = block * BLOCK + k;
    if (at >= n || at < FIRST_STEP) continue;
    const TYPE t = STEP(even, at), t1 = STEP(odd, at), r = ADD(t, -even);
    const int tied = ADD(t1, -t) != unit;
    net = ADDD(net, (double)r);
    size = ADDD(size, tied ? MULD(1e300, 1e300) : (double)(r < (TYPE)0 ? -r : r));
  }
  TOTAL(memory, net, total_net)
  TOTAL(memory, size, total_size)
  if (ITEM != 0) return;
  values[(rows + row) * blocks + block] = total_net;
  values[(2 * rows + row) * blocks + block] = total_size;
}

KERNEL(ITEMS) void chain_walk(X, I64 n, I64 rows, I64 blocks, GLOBAL const double *values,
                              GLOBAL TYPE *out) {
  LOCAL double ends[ITEMS], nets[ITEMS], sizes[ITEMS];
  const I64 row = GROUP;
  ROW
  TYPE sum = FIRST_STEP == 0 ? (TYPE)0 : FIRST;
  for (I64 base = 0; base < blocks; base += ITEMS) {
    const int count = blocks - base < ITEMS ? (int)(blocks - base) : ITEMS;
    if (ITEM < count) {
      const I64 from = row * blocks + base + ITEM;
      ends[ITEM] = values[from];
      nets[ITEM] = values[rows * blocks + from];
      sizes[ITEM] = values[2 * rows * blocks + from];
    }
    BARRIER();
    if (ITEM == 0) {
      for (int k = 0; k < count; ++k) {
        const double a = (double)sum, end = ends[k], net = nets[k], size = sizes[k];
        const double up = MULD(ADDD(size, net), 0.5), down = MULD(ADDD(size, -net), 0.5);
        const double low = end < 0.0 ? MULD(2.0, end) : end;
        const double high = end < 0.0 ? end : MULD(2.0, end);
        const double limit = MULD(end < 0.0 ? -end : end, 0.5);
        if (size < limit && ADDD(a, -down) > low && ADDD(a, up) < high) {
          sum = (TYPE)ADDD(a, net);
          continue;
        }
        const I64 first = (base + k) * BLOCK, last = first + BLOCK < n ? first + BLOCK : n;
        UNROLL
        for (I64 s = first > 0 ? first : FIRST_STEP; s < last; ++s) sum = STEP(sum, s);
      }
    }
    BARRIER();
  }
  if (ITEM == 0) out[row] = ZERO_START ? ADD((TYPE)0, sum) : sum;
}
)";

struct Format {
  const char *type, *unit, *least, *most;
};

}  // namespace

DeviceText device_chain(chain::Op op, spec::Type type, bool from_zero, bool zero_start) {
  const bool is_f32 = spec::is_f32(type), has_y = op != chain::Op::sum;
  const Format format = is_f32 ? Format{"float", "0x1p-23", "0x1p-126", "0x1p127"}
                               : Format{"double", "0x1p-52", "0x1p-1022", "0x1p1023"};
  const char* const suffix = device_suffix(false, type);
  const auto operand = [&](const char* name) {
    return fmt::format("GLOBAL const {1} *{0}, I64 {0}_at, I64 inc{0}, I64 ld{0}", name,
                       format.type);
  };
  const auto row = [&](const char* name) {
    return fmt::format("GLOBAL const {1} *{0}_row = {0} + {0}_at + row * ld{0};", name,
                       format.type);
  };
  const std::string x = "x_row[(k) * incx]", y = "y_row[(k) * incy]";
  const std::string step = op == chain::Op::sum ? fmt::format("ADD{}(a, {})", suffix, x)
                           : op == chain::Op::rounded
                               ? fmt::format("ADD{0}(a, MUL{0}({1}, {2}))", suffix, x, y)
                               : fmt::format("FMA{}({}, {}, a)", suffix, x, y);
  const std::string first = has_y ? fmt::format("MUL{}(x_row[0], y_row[0])", suffix) : "x_row[0]";
  DeviceText made;
  for (const char* name : {"chain_sums", "chain_guesses", "chain_blocks", "chain_walk"})
    made.entries.push_back({name, kChainGroup});
  made.text = device_macros();
  const auto define = [&](const std::string& name, const std::string& what) {
    made.text += "#define " + name + " " + what + "\n";
  };
  made.text += fmt::format("\n// start + s[0] + s[1] + ..., {}\n", chain::name(op));
  define("TYPE", format.type);
  define("ADD(a, b)", fmt::format("ADD{}(a, b)", suffix));
  define("MUL(a, b)", fmt::format("MUL{}(a, b)", suffix));
  define("X", has_y ? operand("x") + ", " + operand("y") : operand("x"));
  define("ROW", has_y ? row("x") + " " + row("y") : row("x"));
  define("STEP(a, k)", step);
  define("FIRST", first);
  define("BLOCK", std::to_string(kChainBlock));
  define("ITEMS", std::to_string(kChainGroup));
  define("UNIT", format.unit);
  define("LEAST", format.least);
  define("MOST", format.most);
  define("FIRST_STEP", from_zero ? "0" : "1");
  define("ZERO_START", zero_start ? "1" : "0");
  made.text += kText;
  return made;
}

}  // namespace reprosum::kernels::text

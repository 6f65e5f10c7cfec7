#include "kernels/text/c_regions.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "kernels/text/c_program.h"

namespace reprosum::kernels::text {
namespace {

constexpr const char* kRegionWalk = R"(
/* C := alpha * op(A) * op(B) + beta * C, m outputs down and n across, k summands each. Steps in
 * elements: from one output to the next, and from one summand to the next. */
struct problem {
  int64_t m, n, k;
  TYPE alpha, beta;
  const TYPE *a;
  int64_t a_output, a_summand;
  const TYPE *b;
  int64_t b_output, b_summand;
  TYPE *c;
  int64_t c_down, c_across;
};

/* One output of a class, and whether its order is known for k summands. */
typedef TYPE (*output_function)(int64_t k, const TYPE *x, int64_t incx, const TYPE *y, int64_t incy,
                                TYPE alpha, TYPE beta, const TYPE *c);
typedef int (*covers_function)(int64_t k, int beta_is_zero);

/* The class of output (i, j) is table[type of row i][type of column j]; -1: it is not known. */
struct regime {
  int64_t k_max;
  const int64_t *rows, *columns;
  const int *table;
  int column_types;
  int reads_factors; /* even where alpha is 0 */
  int reads_output;  /* even where beta is 0 */
  const output_function *outputs;
  const covers_function *covers;
};

/* An axis: the number of segments; of each: from, to, base, period, and where the words of the
 * sizes below base are listed, and those of the period. A word: the number of items; of each:
 * how often (a constant and a multiple of the periods), the number of runs; of each: its type and
 * its length (likewise). */
static const int64_t *word_of(const int64_t *axis, int64_t size, int64_t *periods) {
  for (int64_t s = 0; s < axis[0]; ++s) {
    const int64_t *g = axis + 1 + 6 * s;
    if (size < g[0] || size > g[1]) continue;
    *periods = size < g[2] ? 0 : (size - g[2]) / g[3];
    return axis + axis[size < g[2] ? g[4] + (size - g[0]) : g[5] + (size - g[2]) % g[3]];
  }
  return 0;
}

typedef int (*visitor)(void *data, int64_t first, int64_t count, int type);

/* Every run of neighbours of one type; ends with 0 as soon as the visitor gives it. */
static int each_run(const int64_t *word, int64_t periods, visitor visit, void *data) {
  int64_t first = 0;
  int64_t items = *word++;
  for (; items > 0; --items) {
    const int64_t times = word[0] + word[1] * periods, runs = word[2];
    const int64_t *const run = word + 3;
    for (int64_t t = 0; t < (runs == 1 && times > 0 ? 1 : times); ++t)
      for (int64_t r = 0; r < runs; ++r) {
        int64_t count = run[3 * r + 1] + run[3 * r + 2] * periods;
        if (runs == 1) count *= times;
        if (count > 0 && !visit(data, first, count, (int)run[3 * r])) return 0;
        if (count > 0) first += count;
      }
    word = run + 3 * runs;
  }
  return 1;
}

struct walk {
  const struct regime *regime;
  const struct problem *p;
  const int64_t *columns;
  int64_t column_periods, row, rows;
  int row_type, computes;
};

static int visit_columns(void *data, int64_t first, int64_t count, int type) {
  const struct walk *const w = data;
  const struct problem *const p = w->p;
  const int kind = w->regime->table[w->row_type * w->regime->column_types + type];
  if (!w->computes) return kind >= 0 && w->regime->covers[kind](p->k, p->beta == 0);
  for (int64_t j = first; j < first + count; ++j)
    for (int64_t i = w->row; i < w->row + w->rows; ++i) {
      TYPE *const c = p->c + i * p->c_down + j * p->c_across;
      *c = w->regime->outputs[kind](p->k, p->a + i * p->a_output, p->a_summand,
                                    p->b + j * p->b_output, p->b_summand, p->alpha, p->beta, c);
    }
  return 1;
}

static int visit_rows(void *data, int64_t first, int64_t count, int type) {
  struct walk *const w = data;
  w->row = first;
  w->rows = count;
  w->row_type = type;
  return each_run(w->columns, w->column_periods, visit_columns, w);
}

/* Whether every output has a known order; with `computes`, all of them are written. */
static int run_regions(const struct regime *regime, const struct problem *p, int computes) {
  struct walk w = {regime, p, 0, 0, 0, 0, 0, computes};
  int64_t row_periods = 0;
  const int64_t *const rows = word_of(regime->rows, p->m, &row_periods);
  w.columns = word_of(regime->columns, p->n, &w.column_periods);
  if (p->k > regime->k_max || rows == 0 || w.columns == 0) return 0;
  return each_run(rows, row_periods, visit_rows, &w);
}
)";

// What only some conditions ask, by name.
const std::map<std::string, std::string>& questions() {
  static const auto& all = *new const std::map<std::string, std::string>{
      {"at_most", R"(
static int at_most(int64_t a, int64_t b, int64_t c, int64_t limit) {
  return a <= limit && b <= limit / a && c <= limit / (a * b);
}
)"},
      {"all_finite", R"(
/* What the call reads. */
static int all_finite(const struct problem *p, int reads_factors, int reads_output) {
  TYPE bad = (p->alpha - p->alpha) + (p->beta - p->beta);
  for (int64_t s = 0; s < p->k && reads_factors; ++s) {
    for (int64_t i = 0; i < p->m; ++i) {
      const TYPE v = p->a[i * p->a_output + s * p->a_summand];
      bad += v - v;
    }
    for (int64_t j = 0; j < p->n; ++j) {
      const TYPE v = p->b[j * p->b_output + s * p->b_summand];
      bad += v - v;
    }
  }
  for (int64_t j = 0; j < p->n && reads_output; ++j)
    for (int64_t i = 0; i < p->m; ++i) {
      const TYPE v = p->c[i * p->c_down + j * p->c_across];
      bad += v - v;
    }
  return bad == 0;
}
)"},
      {"has_zero_factor", R"(
/* As it is or times alpha: an infinite alpha times 0 is NaN. */
static int has_zero_factor(const struct problem *p) {
  const TYPE alpha = p->alpha == 0 ? 1 : p->alpha;
  for (int64_t s = 0; s < p->k; ++s) {
    for (int64_t i = 0; i < p->m; ++i) {
      const TYPE v = p->a[i * p->a_output + s * p->a_summand];
      if (v == 0 || alpha * v == 0) return 1;
    }
    for (int64_t j = 0; j < p->n; ++j) {
      const TYPE v = p->b[j * p->b_output + s * p->b_summand];
      if (v == 0 || alpha * v == 0) return 1;
    }
  }
  return 0;
}
)"},
      {"admitted", R"(
/* Bytes modulo 64: the addresses of A, B and C, then their leading dimensions. */
static int admitted(const int *here, const int *moduli, const int *residues, int count) {
  for (; count > 0; --count, residues += 6) {
    int same = 1;
    for (int k = 0; k < 6; ++k) same = same && here[k] % moduli[k] == residues[k];
    if (same) return 1;
  }
  return 0;
}
)"},
      {"aligned", R"(
static int aligned(const int *here, int size) {
  for (int k = 0; k < 6; ++k)
    if (here[k] % size != 0) return 0;
  return 1;
}
)"},
  };
  return all;
}

void add_word(const spec::Word& word, std::vector<std::int64_t>& numbers) {
  numbers.push_back(static_cast<std::int64_t>(word.size()));
  for (const spec::WordItem& item : word) {
    numbers.insert(numbers.end(),
                   {item.times.c, item.times.q, static_cast<std::int64_t>(item.runs.size())});
    for (const spec::TypeRun& run : item.runs)
      numbers.insert(numbers.end(), {run.type, run.length.c, run.length.q});
  }
}

std::string product(const spec::Atom& atom) {
  return fmt::format("at_most({}, {}, {}, INT64_C({}))", atom.use_m ? "m" : "1",
                     atom.use_n ? "n" : "1", atom.use_k ? "k" : "1", atom.limit);
}

std::string equality(const spec::Atom& atom) {
  const std::string one = atom.use_m ? "m" : "n";
  return (atom.use_m && atom.use_n ? "m == n" + std::string(atom.use_k ? " && " : "") : "") +
         (atom.use_k ? one + " == k" : "");
}

std::string c_atom(const spec::Atom& atom) {
  const std::string down = fmt::format("m / {}", atom.a), across = fmt::format("n / {}", atom.b);
  switch (atom.kind) {
    case spec::Atom::Kind::at_most:
      return product(atom);
    case spec::Atom::Kind::above:
      return "!" + product(atom);
    case spec::Atom::Kind::taller:
      return down + " > " + across;
    case spec::Atom::Kind::not_taller:
      return down + " <= " + across;
    case spec::Atom::Kind::wider:
      return across + " > " + down;
    case spec::Atom::Kind::not_wider:
      return across + " <= " + down;
    case spec::Atom::Kind::equal:
      return equality(atom);
    case spec::Atom::Kind::unequal:
      return "!(" + equality(atom) + ")";
  }
  return "0";
}

}  // namespace

std::string c_axis(const spec::Axis& axis, const std::string& name) {
  std::vector<std::int64_t> numbers{static_cast<std::int64_t>(axis.size())};
  numbers.resize(1 + 6 * axis.size());
  std::size_t s = 0;
  for (const spec::Segment& segment : axis) {
    const auto list = [&](const std::vector<spec::Word>& words) {
      const auto place = static_cast<std::int64_t>(numbers.size());
      numbers.resize(numbers.size() + words.size());
      for (std::size_t k = 0; k < words.size(); ++k) {
        numbers[static_cast<std::size_t>(place) + k] = static_cast<std::int64_t>(numbers.size());
        add_word(words[k], numbers);
      }
      return place;
    };
    const std::int64_t words = list(segment.words), schemas = list(segment.schemas);
    const std::int64_t head[] = {segment.from,   segment.to, segment.base,
                                 segment.period, words,      schemas};
    std::copy(std::begin(head), std::end(head), numbers.begin() + std::ptrdiff_t(1 + 6 * s++));
  }
  std::string text = fmt::format("static const int64_t {}[] = {{", name);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : k % 16 == 0 ? ",\n    " : ", ", numbers[k]);
  return text + "};\n";
}

std::string c_guard(const std::vector<spec::Atom>& guard) {
  std::string text;
  for (const spec::Atom& atom : guard) text += (text.empty() ? "" : " && ") + c_atom(atom);
  return text.empty() ? "1" : text;
}

std::string c_region_walk(spec::Type type, const std::string& uses) {
  std::string text = kRegionWalk;
  for (const auto& [name, definition] : questions())
    if (uses.find(name + "(") != std::string::npos) text += definition;
  for (std::size_t at = 0; (at = text.find("TYPE", at)) != std::string::npos;)
    text.replace(at, 4, c_type(type));
  return text;
}

}  // namespace reprosum::kernels::text

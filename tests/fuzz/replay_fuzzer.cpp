// Odd specs replayed between guard pages: real specs, changed at random, stamped, opened, compiled
// and run. What is a spec gives the interpreter's bits or is refused by both; what is none, but
// well formed, is compiled all the same, to see that kernels read nothing astray even then (and run
// unless its trees visit summands without end, which only the proof of a spec rules out). What the
// interpreter refuses at every size is refused when the document is opened.
//   replay_fuzzer SEEDS SECONDS [FIRST]     documents FIRST, FIRST + 1, ... for so long
//   replay_fuzzer SEEDS documents COUNT     the seeds as they are, and documents 1, 2, ... COUNT
//   replay_fuzzer SEEDS one NUMBER          that document again, in this process
// REPROSUM_ISA chooses the kernels, else all of the host's. Exit status: 0 clean, 1 a finding.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "change_spec.h"
#include "guarded.h"
#include "kernels/kernel.h"
#include "kernels/matrix.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "visits.h"

namespace {

using namespace reprosum;
using Random = std::mt19937_64;

constexpr std::uint64_t kBatch = 40;           // documents of one process
constexpr double kMostSeconds = 30;            // of processor time, for one document
constexpr long kMostKilobytes = 3 << 20;       // of a process
constexpr std::int64_t kMostSummands = 1500;   // of one call
constexpr std::int64_t kMostVisits = 1 << 20;  // of a tree whose summands are not proven

// Shared with the processes that do the work.
struct Counts {
  std::uint64_t documents, well_formed, specs, endless, outputs, refused, slowest_ms;
};
Counts* counts = nullptr;

[[noreturn]] void finding(const std::string& what) {
  std::printf("FINDING: %s\n", what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

std::vector<kernels::Isa> isas() {
  const char* const chosen = std::getenv("REPROSUM_ISA");
  std::vector<kernels::Isa> all;
  for (const kernels::Isa isa : kernels::host_isas())
    if (isa != kernels::Isa::interpreter &&
        (chosen == nullptr || std::strcmp(chosen, kernels::name(isa)) == 0))
      all.push_back(isa);
  return all;
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
void fill(T* data, std::int64_t count, Random& random) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double sign = random() % 2 == 0 ? 1 : -1;
    data[i] = static_cast<T>(
        sign * std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, int(random() % 20)));
    if (random() % 37 == 0) data[i] = static_cast<T>(sign * 0.0);
  }
}

// What the call gives, or that it refuses.
template <class Call>
bool refuses(Call call) {
  try {
    call();
    return false;
  } catch (const UserError&) {
    ++counts->refused;
    return true;
  }
}

std::vector<std::int64_t> sizes_of(const spec::Order& order, std::int64_t most, Random& random) {
  std::vector<std::int64_t> sizes{1, 2, 3};
  for (const spec::Regime& regime : order.regimes)
    for (const std::int64_t n : {regime.lo, regime.lo + 1, regime.hi, regime.hi + 1})
      sizes.push_back(n);
  for (int k = 0; k < 10; ++k)
    sizes.push_back(
        1 + static_cast<std::int64_t>(random() % std::uint64_t(k < 5 ? 70 : kMostSummands)));
  std::erase_if(sizes, [&](std::int64_t n) { return n < 1 || n > std::min(most, kMostSummands); });
  if (sizes.size() > 24) sizes.resize(24);
  return sizes;
}

// How many calls of a spec's entry were tried, and how many the interpreter refused.
struct Refusals {
  int tried = 0, refused = 0;
  void add(bool is_refused) { ++tried, refused += is_refused ? 1 : 0; }
  void expect_some_served(bool is_spec) const {
    if (is_spec && tried > 0 && tried == refused) finding("a spec of which every call is refused");
  }
};

template <class T>
void try_sums(const spec::Spec& spec, const spec::Entry& entry, bool is_spec, Random& random) {
  Refusals refusals;
  const spec::Order& order = spec.orders[order_of(entry)];
  const std::int64_t most = most_summands(entry);
  const bool has_y = entry.routine == spec::Routine::dot;
  for (const kernels::Isa isa : isas()) {
    std::shared_ptr<const kernels::Kernel<T>> kernel;
    if (refuses([&] { kernel = kernels::compile<T>(order, entry.routine, {isa, ""}); })) return;
    for (const std::int64_t n : sizes_of(order, std::min(most, kernel->n_max()), random)) {
      const std::int64_t rows = random() % 4 == 0 ? 9 : 1, ld = n + std::int64_t(random() % 3);
      const std::int64_t all = (rows - 1) * ld + n;
      const Guarded<T> x(all, random() % 4 != 0), y(all, random() % 4 != 0);
      fill(x.data(), all, random);
      fill(y.data(), all, random);
      T expected[9], got[9];
      const bool refused = refuses([&] {
        for (std::int64_t i = 0; i < rows; ++i)
          expected[i] = spec::evaluate<T>(order, n, x.data() + i * ld, 1,
                                          has_y ? y.data() + i * ld : nullptr, 1);
      });
      const bool also = refuses([&] {
        if (rows == 1)
          got[0] = kernel->call(n, x.data(), y.data());
        else
          kernel->batch(n, rows, x.data(), ld, y.data(), ld, got);
      });
      counts->outputs += static_cast<std::uint64_t>(rows);
      if (!is_spec) continue;
      refusals.add(refused);
      if (refused != also)
        finding("n = " + std::to_string(n) + ": only the " + (refused ? "interpreter" : "kernel") +
                " refuses");
      for (std::int64_t i = 0; !refused && i < rows; ++i)
        if (!same(expected[i], got[i]))
          finding("n = " + std::to_string(n) + ": " + kernel->name() + " gives other bits");
    }
  }
  refusals.expect_some_served(is_spec);
}

template <class T>
void try_product(const spec::Spec& spec, const spec::Entry& entry,
                 const kernels::MatrixKernels<T>& compiled, bool is_spec, Refusals& refusals,
                 Random& random) {
  const bool gemv = entry.routine == spec::Routine::gemv;
  const auto size = [&](std::int64_t most) {
    const std::uint64_t to = random() % 4 == 0 ? 160 : 40;
    return std::min(most, 1 + static_cast<std::int64_t>(random() % to));
  };
  spec::Shape3 shape{size(entry.m_max), gemv ? 1 : size(entry.n_max), size(1 << 20)};
  const auto map = spec::regions(entry.regimes, shape);
  if (!map) return;
  spec::MatrixArguments<T> call;
  call.routine = entry.routine;
  call.trans_a = entry.guard.trans_a;
  call.trans_b = entry.guard.trans_b;
  call.m = shape.m;
  call.n = shape.n;
  call.k = shape.k;
  const T scalars[] = {T(1), T(0), T(-1), T(0.3), T(2)};
  call.alpha = scalars[random() % 5];
  call.beta = scalars[random() % 5];
  const auto is_no = [](spec::Trans trans) { return trans == spec::Trans::no; };
  const std::int64_t a_rows = is_no(call.trans_a) ? call.m : call.k;
  const std::int64_t a_columns = is_no(call.trans_a) ? call.k : call.m;
  const std::int64_t b_rows = is_no(call.trans_b) ? call.k : call.n;
  const std::int64_t b_columns = is_no(call.trans_b) ? call.n : call.k;
  call.lda = a_rows + std::int64_t(random() % 3);
  call.ldb = b_rows + std::int64_t(random() % 3);
  call.ldc = call.m + std::int64_t(random() % 3);
  call.incb = gemv ? 1 + std::int64_t(random() % 2) : 1;
  call.incc = gemv ? 1 + std::int64_t(random() % 2) : 1;
  const std::int64_t a_size = call.lda * (a_columns - 1) + a_rows;
  const std::int64_t b_size =
      gemv ? (call.k - 1) * call.incb + 1 : call.ldb * (b_columns - 1) + b_rows;
  const std::int64_t c_size =
      gemv ? (call.m - 1) * call.incc + 1 : call.ldc * (call.n - 1) + call.m;
  const Guarded<T> a(a_size, random() % 4 != 0), b(b_size, random() % 4 != 0);
  const Guarded<T> c(c_size, random() % 4 != 0);
  fill(a.data(), a_size, random);
  fill(b.data(), b_size, random);
  std::vector<T> before(static_cast<std::size_t>(c_size)), expected;
  fill(before.data(), c_size, random);
  call.a = a.data();
  call.b = b.data();
  call.c = c.data();
  std::copy(before.begin(), before.end(), c.data());
  const bool refused = refuses([&] { spec::interpret_matrix<T>(*map, spec.orders, call); });
  expected.assign(c.data(), c.data() + c_size);
  std::copy(before.begin(), before.end(), c.data());
  const bool also = refuses([&] { compiled.run(*map, call, 1); });
  counts->outputs += static_cast<std::uint64_t>(shape.m * shape.n);
  if (!is_spec) return;
  refusals.add(refused);
  const std::string sizes = std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " +
                            std::to_string(shape.k) + ", alpha " + std::to_string(call.alpha) +
                            ", beta " + std::to_string(call.beta);
  if (refused != also)
    finding(sizes + ": only the " + (refused ? "interpreter" : "kernels") + " refuse");
  for (std::size_t i = 0; !refused && i < expected.size(); ++i)
    if (!same(expected[i], c.data()[i]))
      finding(sizes + ": other bits at element " + std::to_string(i) + " of C");
}

template <class T>
void try_products(const spec::Spec& spec, const spec::Entry& entry, bool is_spec, Random& random) {
  Refusals refusals;
  for (const kernels::Isa isa : isas()) {
    const auto compiled = kernels::compile_matrix<T>(spec, entry, {isa, ""});
    for (int k = 0; k < 4; ++k) try_product<T>(spec, entry, *compiled, is_spec, refusals, random);
  }
  refusals.expect_some_served(is_spec);
}

template <class T>
void try_entry(const spec::Spec& spec, const spec::Entry& entry, bool is_spec, Random& random) {
  spec::has_matrices(entry.routine) ? try_products<T>(spec, entry, is_spec, random)
                                    : try_sums<T>(spec, entry, is_spec, random);
}

void replay(const spec::Spec& spec, bool is_spec, Random& random) {
  for (const spec::Entry& entry : spec.entries)
    spec::is_f32(entry.type) ? try_entry<float>(spec, entry, is_spec, random)
                             : try_entry<double>(spec, entry, is_spec, random);
}

// The spec after so many changes as a document; "" where it is not even well formed.
std::string document(spec::Spec spec, std::uint64_t changes, Random& random) {
  for (std::uint64_t k = changes; k > 0; --k) change(spec, random);
  try {
    for (const spec::Order& order : spec.orders) spec::validate(order);
    for (spec::Entry& entry : spec.entries) {
      if (!spec::has_matrices(entry.routine))
        entry.regimes[0].k_max =
            std::min(entry.regimes[0].k_max, spec::covered_to(spec.orders[order_of(entry)]));
      for (const spec::MatrixRegime& regime : entry.regimes) spec::validate(regime);
    }
    return spec::to_json(spec, 0);
  } catch (const UserError&) {
    return "";
  }
}

// From 2^62 on the seeds themselves.
constexpr std::uint64_t kUnchanged = std::uint64_t{1} << 62;
std::string document_numbered(const std::vector<spec::Spec>& seeds, std::uint64_t number,
                              Random& random) {
  const bool is_seed = number >= kUnchanged;
  return document(seeds[(is_seed ? number - kUnchanged : number) % seeds.size()],
                  is_seed ? 0 : 1 + random() % 3, random);
}

void try_document(const std::vector<spec::Spec>& seeds, std::uint64_t number) {
  Random random(number);
  const double from = processor_seconds();
  ++counts->documents;
  const std::string text = document_numbered(seeds, number, random);
  if (text.empty()) return;
  spec::Spec spec;
  try {
    spec = spec::from_json(text, spec::Check::form);
  } catch (const ParseError&) {
    return;
  }
  ++counts->well_formed;
  bool is_spec = true;
  try {
    (void)spec::from_json(text);
    ++counts->specs;
  } catch (const ParseError& error) {
    if (!error.where.starts_with("/orders/")) finding(std::string("refused: ") + error.what());
    is_spec = false;
    for (const spec::Order& order : spec.orders)
      if (most_visits(order, kMostSummands) > kMostVisits) return void(++counts->endless);
  }
  replay(spec, is_spec, random);
  const double seconds = processor_seconds() - from;
  counts->slowest_ms = std::max(counts->slowest_ms, static_cast<std::uint64_t>(seconds * 1000));
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  if (seconds > kMostSeconds) finding("took " + std::to_string(seconds) + " s of processor time");
  if (used.ru_maxrss > kMostKilobytes)
    finding("took " + std::to_string(used.ru_maxrss) + " KiB of memory");
}

std::vector<spec::Spec> read_seeds(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder)) paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  std::vector<spec::Spec> seeds;
  for (const auto& path : paths) {
    std::ifstream in(path);
    seeds.push_back(spec::from_json(std::string{std::istreambuf_iterator<char>(in), {}}));
  }
  return seeds;
}

// The number of the document being tried, for the parent of a process that dies.
volatile std::uint64_t* trying = nullptr;

bool try_batch(const std::vector<spec::Spec>& seeds, std::uint64_t first,
               std::uint64_t count = kBatch) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{600, 600};  // a hang ends by a signal
    setrlimit(RLIMIT_CPU, &limit);
    for (std::uint64_t k = 0; k < count; ++k) {
      *trying = first + k;
      try_document(seeds, first + k);
    }
    std::_Exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) std::abort();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  std::printf("FINDING: document %llu (%s %d)\n", static_cast<unsigned long long>(*trying),
              WIFSIGNALED(status) ? "signal" : "exit status",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* const shared =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  counts = static_cast<Counts*>(shared);
  trying = reinterpret_cast<volatile std::uint64_t*>(static_cast<char*>(shared) + 1024);
  const std::vector<spec::Spec> seeds = read_seeds(argv[1]);
  if (std::string(argv[2]) == "one" && argc > 3) {
    const std::uint64_t number = std::strtoull(argv[3], nullptr, 10);
    Random random(number);
    std::puts(document_numbered(seeds, number, random).c_str());
    std::fflush(stdout);
    try_document(seeds, number);
    return 0;
  }
  int findings = 0;
  if (std::string(argv[2]) == "documents" && argc > 3) {
    const std::uint64_t count = std::strtoull(argv[3], nullptr, 10);
    if (!try_batch(seeds, kUnchanged, seeds.size())) ++findings;
    for (std::uint64_t next = 1; next <= count; next += kBatch)
      if (!try_batch(seeds, next, std::min(kBatch, count + 1 - next))) ++findings;
  } else {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
    const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10)
                                         : std::uint64_t{std::random_device()()} << 20;
    std::printf("seed %llu\n", static_cast<unsigned long long>(first));
    for (std::uint64_t next = first; std::chrono::steady_clock::now() < end; next += kBatch)
      if (!try_batch(seeds, next)) ++findings;
  }
  std::printf(
      "%llu documents, %llu well formed, %llu specs, %llu not run, %llu outputs, "
      "%llu refused calls, "
      "slowest %llu ms, %d findings\n",
      static_cast<unsigned long long>(counts->documents),
      static_cast<unsigned long long>(counts->well_formed),
      static_cast<unsigned long long>(counts->specs),
      static_cast<unsigned long long>(counts->endless),
      static_cast<unsigned long long>(counts->outputs),
      static_cast<unsigned long long>(counts->refused),
      static_cast<unsigned long long>(counts->slowest_ms), findings);
  return findings == 0 ? 0 : 1;
}

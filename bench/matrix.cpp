// Speed of generated gemm and gemv against the library whose orders they replay, one thread.
//
//   bench_matrix --orders bench/orders                the orders of that folder, a file per core
//   bench_matrix --spec FILE --core SkylakeX          the captured rules of FILE
//
// The ratio is library time / our time, the median over interleaved pairs in one process; `bits`
// says how many outputs of the last pair differ.
#include "kernels/matrix.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "bench/interleaved.h"
#include "bench/peer.h"
#include "spec/error.h"
#include "spec/spec.h"
#include "spec/surface.h"

namespace {

using namespace reprosum;
using kernels::Isa;
using spec::Routine;
using spec::Trans;

struct Options {
  std::string library = "libopenblas.so.0", core, spec, orders, only;
  double budget_s = 0.3;
};

template <class T>
struct Library {
  using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  using Gemv = void (*)(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  Gemm gemm = nullptr;
  Gemv gemv = nullptr;
};
constexpr int kColumnMajor = 102, kNoTrans = 111, kTrans = 112;

// The entry of a context: captured, or made of an order of the folder that holds everywhere.
struct Rules {
  spec::Spec spec;
  const spec::Entry* entry = nullptr;
};

bool from_folder(const Options& options, const std::string& routine, const spec::Shape3& shape,
                 spec::Entry entry, Rules& rules) {
  std::ifstream file(options.orders + "/" + options.core + ".txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, text;
    std::int64_t largest = 0;
    if (!(words >> name >> largest) || name != routine || shape.k > largest) continue;
    std::getline(words, text);
    spec::Segment all;
    all.to = 1 << 20;
    all.schemas = {{{{1, 0}, {{0, {1, 1}}}}}};
    spec::MatrixRegime regime;
    regime.rows = regime.columns = {all};
    regime.table = {{0}};
    regime.classes = {{}};
    regime.k_max = 1 << 20;
    entry.regimes = {regime};
    rules.spec.orders = {spec::parse_order(text)};
    rules.spec.entries = {entry};
    rules.entry = rules.spec.entries.data();
    return true;
  }
  return false;
}

template <class T>
bool find_rules(const Options& options, Routine routine, Trans trans_a, const spec::Shape3& shape,
                Rules& rules) {
  spec::Context context;
  context.routine = routine;
  context.type = spec::type_of<T>();
  context.trans_a = trans_a;
  context.shape = shape;
  if (options.spec.empty()) {
    spec::Entry entry;
    entry.routine = context.routine;
    entry.type = context.type;
    const std::string suffix = routine == Routine::gemm ? "_nn"
                               : trans_a == Trans::no   ? "_n"
                                                        : "_t";
    return from_folder(options, spec::blas_name(context.routine, context.type) + suffix, shape,
                       entry, rules);
  }
  std::ifstream file(options.spec);
  rules.spec = spec::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
  rules.entry = spec::find(rules.spec, context);
  return rules.entry != nullptr;
}

template <class T>
void row(const Options& options, Isa isa, const Library<T>& library, Routine routine, Trans trans_a,
         std::int64_t n) {
  const bool gemm = routine == Routine::gemm;
  const spec::Shape3 shape{n, gemm ? n : 1, n};
  Rules rules;
  if (!find_rules<T>(options, routine, trans_a, shape, rules)) return;
  const std::string name =
      spec::blas_name(routine, rules.entry->type) + (gemm                   ? ""
                                                     : trans_a == Trans::no ? " N"
                                                                            : " T");
  const auto map = spec::regions(rules.entry->regimes, shape);
  if (!map) return;
  const auto kernels = kernels::compile_matrix<T>(rules.spec, *rules.entry, {isa, ""});
  const auto a = bench::uniform<T>(n * n, 1), b = bench::uniform<T>(n * shape.n, 2),
             c = bench::uniform<T>(n * shape.n, 3);
  auto theirs = c, mine = c;
  spec::MatrixArguments<T> call;
  call.routine = routine;
  call.trans_a = trans_a;
  call.m = call.k = call.lda = call.ldb = call.ldc = n;
  call.n = shape.n;
  call.alpha = T(0.75);
  call.beta = T(0.5);
  call.a = a.data();
  call.b = b.data();
  call.c = mine.data();
  const int size = static_cast<int>(n), trans = trans_a == Trans::no ? kNoTrans : kTrans;
  const auto peer = [&] {
    if (gemm)
      library.gemm(kColumnMajor, trans, kNoTrans, size, size, size, call.alpha, a.data(), size,
                   b.data(), size, call.beta, theirs.data(), size);
    else
      library.gemv(kColumnMajor, trans, size, size, call.alpha, a.data(), size, b.data(), 1,
                   call.beta, theirs.data(), 1);
  };
  const auto ours = [&] { kernels->run(*map, call, 1); };
  peer();
  ours();
  std::size_t other = 0;
  for (std::size_t k = 0; k < mine.size(); ++k)
    other += std::memcmp(&mine[k], &theirs[k], sizeof(T)) != 0 ? 1 : 0;
  bench::Interleaved race(peer, ours);
  std::vector<double> times;
  while (race.spent_s() < options.budget_s || race.pairs() < 9) times.push_back(race.pair());
  std::sort(times.begin(), times.end());
  const double time = times[times.size() / 2];
  const double operations =
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(shape.n);
  fmt::print("{:<10} {:<8} {:>5}  {:>5.2f}  {:>7.1f}  {}\n", options.core, name, n, race.ratio(),
             operations / time * 1e-9, other == 0 ? "equal" : fmt::format("{} differ", other));
  std::fflush(stdout);
}

template <class T>
void table(const Options& options, Isa isa, const bench::Peer& peer) {
  const bool f32 = sizeof(T) == 4;
  const Library<T> library{
      peer.symbol<typename Library<T>::Gemm>(f32 ? "cblas_sgemm" : "cblas_dgemm"),
      peer.symbol<typename Library<T>::Gemv>(f32 ? "cblas_sgemv" : "cblas_dgemv")};
  if (options.only != "gemv")
    for (const std::int64_t n : {16, 32, 64, 96, 128, 256, 512, 1024})
      row(options, isa, library, Routine::gemm, Trans::no, n);
  if (options.only == "gemm") return;
  for (const Trans trans : {Trans::no, Trans::yes})
    for (const std::int64_t n : {64, 128, 256, 512, 1024, 4096})
      row(options, isa, library, Routine::gemv, trans, n);
}

int run(const Options& options, Isa isa) {
  const bench::Peer peer(options.library, options.core);
  if (const std::string core = peer.text("openblas_get_corename"); !core.empty())
    fmt::print("# {} runs {}, ours {}\n", options.library, core, kernels::name(isa));
  fmt::print("{:<10} {:<8} {:>5}  {:>5}  {:>7}  {}\n", "core", "routine", "n", "ratio", "GF/s",
             "bits");
  table<float>(options, isa, peer);
  table<double>(options, isa, peer);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Times generated gemm and gemv against the library whose orders they replay"};
  CLI::App* const rules = app.add_option_group("rules", "one of them")->require_option(1);
  rules->add_option("--orders", options.orders, "folder with a file of orders per core");
  rules->add_option("--spec", options.spec, "captured rules");
  app.add_option("--core", options.core, "of the library; default: each that this host runs");
  app.add_option("--only", options.only)->check(CLI::IsMember({"gemm", "gemv"}));
  app.add_option("--seconds", options.budget_s, "per row")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--library", options.library)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    if (!options.core.empty())
      return run(options, options.core == "Haswell" ? Isa::avx2 : kernels::host_isas().back());
    return bench::for_each_core([&](const char* core, Isa isa) {
      options.core = core;
      return run(options, isa);
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_matrix: {}\n", error.what());
    return 2;
  }
}

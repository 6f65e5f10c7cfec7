#include "tests/kernels/captured_orders.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "spec/error.h"
#include "spec/surface.h"
#include "tests/paths.h"

namespace reprosum::kernels::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files() {
  std::vector<std::string> all;
  if (const char* const named = std::getenv("REPROSUM_CAPTURED_SPECS")) {
    const std::string text = named;
    for (std::size_t from = 0, to = 0; from < text.size(); from = to + 1) {
      to = std::min(text.find(':', from), text.size());
      all.push_back(text.substr(from, to - from));
    }
    return all;
  }
  for (const auto& entry : fs::directory_iterator(REPROSUM_SOURCE_DIR "/spec/library"))
    if (entry.path().extension() == ".json") all.push_back(entry.path().string());
  std::sort(all.begin(), all.end());
  return all;
}

// What one spec adds to those that are known.
class Collector {
 public:
  explicit Collector(std::size_t every) : every_(every) {}

  void add(const std::string& document, const spec::Spec& spec) {
    for (const spec::Entry& entry : spec.entries)
      for (const spec::MatrixRegime& regime : entry.regimes)
        for (const spec::MatrixClass& output : regime.classes)
          add(document, spec.orders.at(output.order), entry.routine, entry.type);
  }
  std::vector<CapturedOrder> all;

 private:
  void add(const std::string& document, const spec::Order& order, spec::Routine routine,
           spec::Type type) {
    const std::string name = spec::blas_name(routine, type);
    if (!known_.insert(spec::meaning_hash(order) + name).second) return;
    CapturedOrder made{document + ", " + name, order, routine, type};
    if (!made.is_update() || updates_++ % every_ == 0) all.push_back(std::move(made));
  }

  const std::size_t every_;
  std::size_t updates_ = 0;
  std::set<std::string> known_;
};

}  // namespace

std::vector<CapturedOrder> captured_orders(std::size_t every) {
  if (const char* const asked = std::getenv("REPROSUM_CAPTURED_EVERY")) every = std::stoul(asked);
  Collector collector(every);
  for (const std::string& name : files()) {
    std::ifstream file(name);
    if (!file) throw std::runtime_error("cannot read " + name);
    const std::string json{std::istreambuf_iterator<char>(file), {}};
    collector.add(fs::path(name).stem().string(), spec::from_json(json));
  }
  return std::move(collector.all);
}

bool fold_if_defined(const OrderTiles& tiles, std::int64_t n, OutputMode mode,
                     std::vector<FoldStep>& steps) {
  std::string why;
  try {
    if (!fold_of(tiles.order(), n, mode, tiles, steps, why)) return false;
    for (const FoldStep& step : steps) {
      PiecePlan at;
      if (step.kind == FoldStep::Kind::piece) tiles.plan_of(*step.rule, step.n, at, why);
    }
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace reprosum::kernels::test

// compile_matrix(): the kernels of the classes of one entry.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/compile_thread.h"
#include "kernels/matrix.h"
#include "kernels/matrix/order_tiles.h"
#include "kernels/matrix/run_rectangle.h"
#include "kernels/stack_room.h"
#include "spec/error.h"
#include "spec/evaluate/rectangles.h"
#include "spec/expand.h"
#include "src/base/fork_gate.h"
#include "src/base/thread_object.h"
#include "src/base/workers.h"

namespace reprosum::kernels {
namespace {

using spec::MatrixClass;

// Below this many products a share is not worth a thread.
constexpr std::int64_t kMinShare = 64 * 64 * 64;
constexpr std::size_t kMaxKeptSteps = 200'000;  // of all orders at all k that are kept

bool is_shared(const spec::Rectangle& r, std::int64_t k) {
  return r.rows * r.columns * k >= kMinShare;
}

// What one worker gets of the longer side of a rectangle.
std::int64_t each_of(const spec::Rectangle& r, int workers) {
  return ((std::max(r.rows, r.columns) + workers - 1) / workers + 15) / 16 * 16;
}

// How many workers get a share: one that would get none is not worth being woken.
int workers_with_share(const std::vector<spec::Rectangle>& all, std::int64_t k, int workers) {
  std::int64_t most = 1, whole = 0;
  for (const spec::Rectangle& r : all) {
    const std::int64_t each = each_of(r, workers);
    if (is_shared(r, k))
      most = std::max(most, (std::max(r.rows, r.columns) + each - 1) / each);
    else
      ++whole;
  }
  return static_cast<int>(std::min<std::int64_t>(workers, std::max(most, whole)));
}

// The share of one worker: neighbours along the longer side of a rectangle.
std::vector<spec::Rectangle> share_of(const std::vector<spec::Rectangle>& all, std::int64_t k,
                                      int worker, int workers) {
  std::vector<spec::Rectangle> mine;
  int turn = 0;
  for (spec::Rectangle r : all) {
    if (!is_shared(r, k)) {
      if (turn++ % workers == worker) mine.push_back(r);
      continue;
    }
    const std::int64_t each = each_of(r, workers);
    const bool by_rows = r.rows >= r.columns;
    std::int64_t& first = by_rows ? r.row : r.column;
    std::int64_t& count = by_rows ? r.rows : r.columns;
    const std::int64_t from = std::min(count, each * worker);
    const std::int64_t to = worker + 1 == workers ? count : std::min(count, each * (worker + 1));
    first += from;
    count = to - from;
    if (count > 0) mine.push_back(r);
  }
  return mine;
}

template <class T>
class GeneratedMatrix : public MatrixKernels<T> {
 public:
  GeneratedMatrix(const spec::Spec& spec, const spec::Entry& entry, CompileOptions options)
      : routine_(entry.routine), options_(std::move(options)) {
    if (!can_run(options_.isa)) {
      why_ = std::string("this host cannot run ") + kernels::name(options_.isa);
      options_.isa = Isa::interpreter;
    } else if (options_.isa == Isa::interpreter) {
      why_ = "as asked";
    }
    for (const spec::MatrixRegime& regime : entry.regimes)
      for (const MatrixClass& kind : regime.classes) {
        const spec::Order& order = spec.orders.at(kind.order);
        stack_ = std::max(stack_, stack_of_block_walk(order));
        if (spec::has_fused_nodes(order)) fused_.insert(kind.order);
        orders_.try_emplace(kind.order, order);
      }
  }

  void run(const spec::RegionMap& map, const spec::MatrixArguments<T>& call,
           int workers) const override {
    if (call.k < 1) throw UserError("k must be positive, not " + std::to_string(call.k));
    Ready& ready = ready_for(map, call);
    if (ready.is_interpreted) check_stack(stack_);  // before anything is written
    const auto one = [&](const spec::Rectangle& r, RecordedCalls<T>* record) {
      const Code& code = ready.codes[static_cast<std::size_t>(r.kind)];
      const bool has_code = code.generated != nullptr && code.generated->why.empty();
      if (code.stores_beta && has_code) fill_with_one(call, r);
      const bool generated = has_code && run_rectangle(*code.generated, call, r,
                                                       base::of_this_thread<Workspace>(), record);
      if (!generated) {
        const MatrixClass& kind = map.regime->classes[static_cast<std::size_t>(r.kind)];
        const auto interpret = [&] { spec::interpret_rectangle(kind, order(kind), call, r); };
        is_scaled(kind, call) ? interpret() : with_stack(stack_, interpret);
      }
      if ((!generated || code.stores_beta) && record != nullptr) record->give_up();
    };
    const int useful = workers <= 1 || call.m * call.n * call.k < 2 * kMinShare
                           ? 1
                           : workers_with_share(ready.rectangles, call.k, workers);
    if (useful > 1) {
      base::run_workers(useful, [&](int worker) {
        for (const spec::Rectangle& r : share_of(ready.rectangles, call.k, worker, useful))
          one(r, nullptr);
      });
      return;
    }
    if (ready.recorded.fits(call)) return ready.recorded.run(call);
    // Once more where operands lie otherwise; what cannot be kept is not tried again.
    RecordedCalls<T>* const record = ready.is_recordable ? &ready.recorded : nullptr;
    if (record != nullptr) record->begin(call);
    for (const spec::Rectangle& r : ready.rectangles) one(r, record);
    ready.is_recordable = record != nullptr && record->end();
  }

  std::vector<std::string> names(const spec::RegionMap& map, std::int64_t k,
                                 T beta) const override {
    std::vector<std::int64_t> outputs(map.regime->classes.size());
    for (const spec::Rectangle& r : spec::rectangles(map))
      outputs[static_cast<std::size_t>(r.kind)] += r.rows * r.columns;
    std::vector<std::string> lines;
    for (std::size_t c = 0; c < outputs.size(); ++c) {
      if (outputs[c] == 0) continue;  // a class of other shapes
      if (fused_.contains(map.regime->classes[c].order)) {
        lines.push_back(std::string("none (") + kFused + "): " + std::to_string(outputs[c]) +
                        " outputs");
        continue;
      }
      const auto made = code_of(map.regime->classes[c], k, beta);
      const std::string count = std::to_string(outputs[c]) + " outputs";
      if (made == nullptr) {
        lines.push_back("interpreter (no thread could be had to make kernels): " + count);
        continue;
      }
      const ClassCode& code = *made;
      if (!code.why.empty())
        lines.push_back("interpreter (" + code.why + "): " + count);
      else
        lines.push_back(spec::blas_name(routine_, type()) + "_" + code.tiles->hash().substr(0, 12) +
                        "_" + kernels::name(options_.isa) + ": " + count);
    }
    return lines;
  }

 private:
  struct Code {
    bool is_known = false;                       // else the class has no output in this call
    std::shared_ptr<const ClassCode> generated;  // nullptr: the interpreter does it
    bool stores_beta = false;                    // which is -0
  };

  // What a call hangs on beside the places of its operands.
  struct Key {
    std::uint64_t owner = 0;  // 0: of no call
    const spec::MatrixRegime* regime = nullptr;
    std::int64_t m = 0, n = 0, k = 0;
    int scalars = 0;
    bool operator==(const Key&) const = default;
  };
  // A call ready to run.
  struct Ready {
    Key key;
    std::vector<spec::Rectangle> rectangles;
    std::vector<Code> codes;
    RecordedCalls<T> recorded;
    bool is_recordable = true;
    bool is_interpreted = false;  // some of it, as is known now
  };

  // Kept for the shapes that the thread has asked for last, so that a call which was made before
  // takes no lock and no memory. A regime at one address is taken for one, as the map's are of a
  // spec that stays; nothing of it is kept.
  Ready& ready_for(const spec::RegionMap& map, const spec::MatrixArguments<T>& call) const {
    const int scalars = (call.alpha == 0 ? 1 : 0) + (call.beta != 0            ? 0
                                                     : std::signbit(call.beta) ? 2
                                                                               : 4);
    const Key key{id_, map.regime, call.m, call.n, call.k, scalars};
    const std::uint64_t mixed = (static_cast<std::uint64_t>(call.m) * 0x9e3779b97f4a7c15u ^
                                 static_cast<std::uint64_t>(call.n) * 0xbf58476d1ce4e5b9u ^
                                 static_cast<std::uint64_t>(call.k) * 0x94d049bb133111ebu) +
                                id_ * 0xd6e8feb86659fd93u;
    std::array<Ready, 64>& kept = base::of_this_thread<std::array<Ready, 64>>();
    Ready& slot = kept[(mixed >> 32) % kept.size()];
    if (slot.key == key) return slot;
    slot.key = {};
    Ready wanted;
    wanted.rectangles = spec::rectangles(map);
    wanted.codes.resize(map.regime->classes.size());
    bool is_lasting = true;
    for (const spec::Rectangle& r : wanted.rectangles) {
      Code& code = wanted.codes[static_cast<std::size_t>(r.kind)];
      if (std::exchange(code.is_known, true)) continue;
      const MatrixClass& kind = map.regime->classes[static_cast<std::size_t>(r.kind)];
      if (fused_.contains(kind.order)) throw UserError(kFused);  // before anything is written
      if (is_scaled(kind, call)) continue;
      code.generated = code_of(kind, call.k, call.beta);
      is_lasting = is_lasting && code.generated != nullptr;
      if (code.generated == nullptr || !code.generated->why.empty()) wanted.is_interpreted = true;
      code.stores_beta = call.beta == 0 && std::signbit(call.beta) &&
                         kind.beta_zero_at(call.k) == MatrixClass::BetaZero::store_beta;
    }
    if (is_lasting) wanted.key = key;  // else no thread was to be had: the next call asks again
    slot = std::move(wanted);
    return slot;
  }

  // Whether beta alone acts.
  static bool is_scaled(const MatrixClass& kind, const spec::MatrixArguments<T>& call) {
    return call.alpha == 0 && kind.alpha_zero == MatrixClass::AlphaZero::skip;
  }

  static std::uint64_t fresh_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  // Code that multiplies C by beta = -0 then starts at -0, whatever C was.
  static void fill_with_one(const spec::MatrixArguments<T>& call, const spec::Rectangle& r) {
    for (std::int64_t j = r.column; j < r.column + r.columns; ++j)
      for (std::int64_t i = r.row; i < r.row + r.rows; ++i) *call.at_c(i, j) = T(1);
  }

  static spec::Type type() { return spec::type_of<T>(); }

  static constexpr const char* kFused =
      "nodes that fuse several terms are not computed in products of matrices";

  const spec::Order& order(const MatrixClass& kind) const {
    const auto it = orders_.find(kind.order);
    if (it == orders_.end()) throw UserError("the map is of another entry");
    return it->second;
  }

  // nullptr: no thread is to be had now that makes it.
  std::shared_ptr<const ClassCode> code_of(const MatrixClass& kind, std::int64_t k, T beta) const {
    const OutputMode mode = output_mode(kind.beta_zero_at(k), beta);
    const base::ForkSafeLock lock(mutex_);
    if (const auto known = codes_.find({kind.order, mode, k}); known != codes_.end())
      return known->second;
    ClassCode made;
    made.why = why_;
    if (made.why.empty() && kind.order >= kMaxGeneratedOrders)
      made.why = "the spec has more orders than kernels are made for";
    if (made.why.empty() && depends_on_data(order(kind), k, mode))
      made.why = "what takes the place of C depends on the data";
    if (made.why.empty()) {
      const JobEnd end = on_compile_thread([&] {
        auto& tiles = tiles_[{kind.order, mode}];
        if (tiles == nullptr)
          tiles = order_tiles(order(kind), mode, type(), options_.isa, options_.cache_directory);
        made = class_code(tiles, k, mode);
      });
      if (end == JobEnd::no_thread) return nullptr;
      if (end == JobEnd::gave_up) made.why = "LLVM gave up on the order";
    }
    // What is dropped is planned again; the functions stay.
    kept_steps_ += made.steps.size() + 1;
    for (; kept_steps_ > kMaxKeptSteps && !codes_.empty(); codes_.erase(codes_.begin()))
      kept_steps_ -= codes_.begin()->second->steps.size() + 1;
    return codes_[{kind.order, mode, k}] = std::make_shared<const ClassCode>(std::move(made));
  }

  const std::uint64_t id_ = fresh_id();  // no two of a process share it
  const spec::Routine routine_;
  CompileOptions options_;
  std::string why_;  // why nothing is generated
  std::map<std::size_t, spec::Order> orders_;
  std::set<std::size_t> fused_;  // of these: some nodes fuse several terms
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, OutputMode>, std::shared_ptr<const OrderTiles>> tiles_;
  mutable std::map<std::tuple<std::size_t, OutputMode, std::int64_t>,
                   std::shared_ptr<const ClassCode>>
      codes_;
  mutable std::size_t kept_steps_ = 0;
  std::size_t stack_ = 0;  // that interpreting any of the orders takes
};

}  // namespace

template <class T>
std::shared_ptr<const MatrixKernels<T>> compile_matrix(const spec::Spec& spec,
                                                       const spec::Entry& entry,
                                                       const CompileOptions& options) {
  return std::make_shared<GeneratedMatrix<T>>(spec, entry, options);
}

template std::shared_ptr<const MatrixKernels<float>> compile_matrix(const spec::Spec&,
                                                                    const spec::Entry&,
                                                                    const CompileOptions&);
template std::shared_ptr<const MatrixKernels<double>> compile_matrix(const spec::Spec&,
                                                                     const spec::Entry&,
                                                                     const CompileOptions&);

}  // namespace reprosum::kernels

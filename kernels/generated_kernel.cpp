#include "kernels/generated_kernel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/chain/long_chain.h"
#include "kernels/compile_thread.h"
#include "kernels/flushing.h"
#include "kernels/plan/pieces.h"
#include "kernels/program/widths.h"
#include "kernels/split_tree.h"
#include "kernels/stack_room.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate.h"
#include "spec/evaluate/walk_rules.h"
#include "spec/evaluate/walk_schema.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/base/fork_gate.h"

namespace reprosum::kernels {
namespace {

// A function of a piece, with a narrow or a wide value.
template <class T, class... Arguments>
struct CodeOf {
  T (*narrow)(Arguments...) = nullptr;
  double (*wide)(Arguments...) = nullptr;
  chain::LongChain<T> chain;  // where it is faster than `narrow`

  bool exists() const { return narrow != nullptr || wide != nullptr; }
  void find(const LoadedObject& object, std::string (*name)(std::size_t, bool), std::size_t piece) {
    narrow = reinterpret_cast<decltype(narrow)>(object.find(name(piece, false)));
    if (narrow == nullptr) wide = reinterpret_cast<decltype(wide)>(object.find(name(piece, true)));
  }
  // R: T keeps a narrow value as it is.
  template <class R>
  R call(spec::Flush flush, Arguments... arguments) const {
    if (narrow == nullptr) return static_cast<R>(wide(arguments...));
    return static_cast<R>(run_flushing<T>(flush, [&] { return narrow(arguments...); }));
  }
};
// Code for neighbouring summands: increments are 1.
template <class T>
using Code = CodeOf<T, const T*, const T*, std::int64_t>;
template <class T>
using StridedCode = CodeOf<T, const T*, std::int64_t, const T*, std::int64_t, std::int64_t>;

// The value of the n summands from the one `at` on.
template <class T>
double value(const Code<T>& code, const spec::Operands<T>& data, std::int64_t at, std::int64_t n) {
  const T* const y = data.y == nullptr ? nullptr : data.y + at;
  if (code.chain.serves(n)) return static_cast<double>(code.chain.value(data.x + at, 1, y, 1, n));
  return code.template call<double>(data.flush, data.x + at, y, n);
}
template <class T>
double value(const StridedCode<T>& code, const spec::Operands<T>& data, std::int64_t at,
             std::int64_t n) {
  const T* const y = data.y == nullptr ? nullptr : data.y + at * data.incy;
  const T* const x = data.x + at * data.incx;
  if (code.chain.serves(n))
    return static_cast<double>(code.chain.value(x, data.incx, y, data.incy, n));
  return code.template call<double>(data.flush, x, data.incx, y, data.incy, n);
}

template <class T>
struct BatchCode {
  using Function = void (*)(const T*, std::int64_t, const T*, std::int64_t, std::int64_t, T*);
  Function separate = nullptr, shared_y = nullptr;
  int rows = 0;
};

template <class T>
class GeneratedKernel : public Kernel<T> {
 public:
  GeneratedKernel(spec::Order order, spec::Routine routine, const std::string& hash, Isa isa,
                  CodeStore store)
      : order_(std::move(order)),
        has_y_(routine == spec::Routine::dot),
        isa_(isa),
        routine_(spec::blas_name(routine, spec::type_of<T>())),
        hash_(hash),
        n_max_(spec::covered_to(order_)),
        store_(std::move(store)),
        pieces_(pieces_of(order_)),
        splits_(order_, pieces_),
        codes_(pieces_.size()),
        batches_(pieces_.size()) {
    store_.set_order(order_);
  }

  // Gives whether any piece is generated.
  bool load(std::string& why) {
    object_ = store_.load(CodePart::single, &why);
    bool any = false;
    for (std::size_t k = 0; object_ != nullptr && k < pieces_.size(); ++k) {
      codes_[k].find(*object_, piece_name, k);
      if (codes_[k].narrow != nullptr) codes_[k].chain = chain_of(pieces_[k]);
      any = any || codes_[k].exists();
    }
    // Most calls fall into one generated piece of the whole order: no walk, no search.
    for (const spec::Regime& regime : order_.regimes)
      for (std::size_t k = 0; k < pieces_.size(); ++k)
        if (pieces_[k].regime == &regime && pieces_[k].is_whole() && codes_[k].exists() &&
            is_dense(regime))
          direct_.push_back({regime.lo, regime.hi, k, codes_[k]});
    // The regime without end is asked first: it holds nearly every n.
    std::sort(direct_.begin(), direct_.end(),
              [](const Direct& a, const Direct& b) { return a.hi - a.lo > b.hi - b.lo; });
    return any;
  }

  std::string name() const override {
    const std::string hash = hash_.empty() ? spec::meaning_hash(order_) : hash_;
    return routine_ + "_" + hash.substr(0, 12) + "_" + kernels::name(isa_);
  }
  std::string name(std::int64_t n) const override {
    for (const Direct& d : direct_)
      if (d.lo <= n && n <= d.hi) return name() + (d.code.chain.serves(n) ? "_chain" : "");
    return name();
  }
  std::int64_t first_out_of_order() const override {
    if (direct_.empty()) return 0;
    const Direct& longest = direct_.front();
    const std::int64_t first = longest.code.chain.first();
    return first <= longest.hi ? std::max(longest.lo, first) : 0;
  }
  Isa isa() const override { return isa_; }
  std::int64_t n_max() const override { return n_max_; }

  T call(std::int64_t n, const T* x, const T* y) const override {
    for (const Direct& d : direct_) {
      if (n < d.lo || n > d.hi) continue;
      if (d.code.chain.serves(n)) [[unlikely]]
        return finish(d.code.chain.value(x, 1, y, 1, n));
      return finish(d.code.template call<T>(order_.flush, x, y, n));
    }
    if (!has_y_) y = nullptr;
    return walked([&] {
      if (isa_ == Isa::interpreter) return spec::evaluate<T>(order_, n, x, 1, y, 1);
      return walk_pieces(n, spec::Operands<T>{x, 1, y, 1, order_.flush}, codes_);
    });
  }

  bool call_strided(std::int64_t n, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    T* out) const override {
    if (isa_ == Isa::interpreter) return false;
    if (!has_made(strided_is_made_, [this] { load_strided(); })) return false;
    const spec::Operands<T> data{x, incx, has_y_ ? y : nullptr, incy, order_.flush};
    for (const Direct& d : direct_) {
      if (n < d.lo || n > d.hi) continue;
      const StridedCode<T>& code = strided_[d.piece];
      if (!code.exists()) return false;
      *out = finish(static_cast<T>(value(code, data, 0, n)));
      return true;
    }
    *out = walked([&] { return walk_pieces(n, data, strided_); });
    return true;
  }

  void batch(std::int64_t n, std::int64_t rows, const T* x, std::int64_t ldx, const T* y,
             std::int64_t ldy, T* out) const override {
    std::int64_t row = 0;
    if (const auto* codes = rows > 1 ? batch_codes(n) : nullptr) {
      const int most = most_rows(ldx, ldy);
      const Flushing flushing(order_.flush);
      for (const BatchCode<T>& code : *codes) {
        if (code.rows > most) continue;
        const auto function = has_y_ && ldy == 0 ? code.shared_y : code.separate;
        for (; function != nullptr && row + code.rows <= rows; row += code.rows)
          function(x + row * ldx, ldx, has_y_ ? y + row * ldy : nullptr, ldy, n, out + row);
      }
    }
    for (std::int64_t k = 0; k < row; ++k) out[k] = finish(out[k]);
    for (; row < rows; ++row) out[row] = call(n, x + row * ldx, has_y_ ? y + row * ldy : nullptr);
  }

 private:
  struct Direct {
    std::int64_t lo = 0, hi = 0;
    std::size_t piece = 0;
    Code<T> code;
  };

  template <class Walk>
  T walked(const Walk& walk) const {
    if (stack_ <= kStackAlwaysThere) return walk();
    T value = 0;
    with_stack(stack_, [&] { value = walk(); });
    return value;
  }

  chain::LongChain<T> chain_of(const Piece& piece) const {
    // Rules with chains of chains are most, and never that; planning them takes time.
    const auto* loop = std::get_if<spec::Loop>(&piece.regime->rule);
    const bool is_nested = loop != nullptr && loop->cases.front().schema.chains.size() > 1;
    if (is_nested || order_.flush != spec::Flush::none || !chain::is_wanted()) return {};
    RulePlan plan;
    std::string why;
    const auto routine = has_y_ ? spec::Routine::dot : spec::Routine::sum;
    if (!plan_piece(piece, spec::type_of<T>(), plan, why)) return {};
    const std::optional<Sequential> order = sequential(plan, routine);
    if (!order) return {};
    const chain::Op op = !has_y_        ? chain::Op::sum
                         : order->fused ? chain::Op::fused
                                        : chain::Op::rounded;
    return {*order, op, chain::code<T>(isa_, op)};
  }

  // zero_start: one more +0 at the root; it turns -0 into +0.
  T finish(T value) const {
    if (!order_.zero_start) return value;
    return static_cast<T>(
        spec::Arithmetic<T>::add(order_.flush, spec::NodeFormat::narrow, 0, value));
  }

  // Whether the regime is defined at each of its n.
  static bool is_dense(const spec::Regime& regime) {
    const auto* trees = std::get_if<spec::Explicit>(&regime.rule);
    return trees == nullptr ||
           static_cast<std::int64_t>(trees->entries.size()) == regime.hi - regime.lo + 1;
  }

  // The chains of a loop that are pieces.
  template <class Codes>
  struct CodesOfChains : spec::ChainCodes {
    const GeneratedKernel& kernel;
    const spec::Rule& rule;
    const Codes& codes;
    const spec::Operands<T>& data;

    CodesOfChains(const GeneratedKernel& k, const spec::Rule& r, const Codes& c,
                  const spec::Operands<T>& d)
        : kernel(k), rule(r), codes(c), data(d) {}

    const ChainPiece* find(std::size_t chain) const override {
      const std::optional<std::size_t> k = piece_of(static_cast<std::int32_t>(chain));
      return k ? &*kernel.pieces_[*k].chain : nullptr;
    }
    double value(const ChainPiece& piece, std::int64_t at, std::int64_t rows) const override {
      return kernels::value(codes[*piece_of(piece.chain)], data, at, summands_of_rows(piece, rows));
    }
    std::optional<std::size_t> piece_of(std::int32_t chain) const {
      for (std::size_t k = 0; k < kernel.pieces_.size(); ++k) {
        const Piece& piece = kernel.pieces_[k];
        if (&piece.regime->rule == &rule && piece.chain && piece.chain->chain == chain &&
            codes[k].exists())
          return k;
      }
      return std::nullopt;
    }
  };

  template <class Codes>
  T walk_pieces(std::int64_t n, const spec::Operands<T>& data, const Codes& codes) const {
    if (splits_.is_usable()) {
      const auto code = [&](std::size_t k, std::int64_t length,
                            std::int64_t at) -> std::optional<double> {
        if (!codes[k].exists() || !holds(*pieces_[k].regime, length)) return std::nullopt;
        return value(codes[k], data, at, length);
      };
      if (const auto sum = splits_.template value<T>(n, code)) return static_cast<T>(*sum);
    }
    // Sums of windows are data of their own, of which there is one vector, also in a dot product.
    const auto piece = [&](const spec::Order& order, const spec::Rule& rule, std::int64_t length,
                           std::int64_t at, const spec::Operands<T>& of) -> std::optional<double> {
      const bool fits = has_y_ == (of.y != nullptr);
      for (std::size_t k = 0; fits && k < pieces_.size(); ++k) {
        if (&pieces_[k].regime->rule != &rule || !codes[k].exists()) continue;
        if (!pieces_[k].is_whole()) {
          const CodesOfChains<Codes> chains(*this, rule, codes, of);
          return walk(order, rule, length, at, of, chains);
        }
        if (!holds(*pieces_[k].regime, length)) break;
        return value(codes[k], of, at, length);
      }
      return walk(order, rule, length, at, of);
    };
    spec::RuleWalker<T, decltype(piece)> walker(data, piece);
    return static_cast<T>(walker.run(order_, n));
  }

  // Generated code trusts that explicit trees list n, that a split is asked within its regime, and
  // that a loop is not asked below its own.
  static bool holds(const spec::Regime& regime, std::int64_t n) {
    if (std::holds_alternative<spec::Split>(regime.rule)) return regime.lo <= n && n <= regime.hi;
    const auto* trees = std::get_if<spec::Explicit>(&regime.rule);
    if (trees == nullptr) return regime.lo <= n;
    for (const auto& entry : trees->entries)
      if (entry.n == n) return true;
    return false;
  }

  // Rows some pages apart share one set of the first-level cache, which has about eight lines.
  // Eight rows of x and of y would evict one another's lines before these are used up.
  static int most_rows(std::int64_t ldx, std::int64_t ldy) {
    constexpr std::int64_t kPage = 4096 / sizeof(T);
    return ldy != 0 && ldx % kPage == 0 && ldy % kPage == 0 ? 4 : program::kBatchRows[0];
  }

  // Batches are generated when first asked for: most kernels never are.
  const std::vector<BatchCode<T>>* batch_codes(std::int64_t n) const {
    for (const Direct& d : direct_) {
      if (n < d.lo || n > d.hi) continue;
      return has_made(batch_is_made_, [this] { load_batches(); }) ? &batches_[d.piece] : nullptr;
    }
    return nullptr;
  }

  // False where no thread or no memory is to be had now that makes it. What cannot be loaded is
  // empty from then on: every call that it would serve has another way.
  template <class Make>
  bool has_made(std::atomic<bool>& is_made, const Make& make) const {
    if (is_made.load(std::memory_order_acquire)) return true;
    const base::ForkSafeLock lock(mutex_);
    if (is_made) return true;
    try {
      if (on_compile_thread(make) == JobEnd::no_thread) return false;
    } catch (const std::bad_alloc&) {
      return false;
    } catch (const std::exception&) {
      // As where LLVM gives up.
    }
    is_made.store(true, std::memory_order_release);
    return true;
  }

  void load_strided() const {
    strided_.resize(pieces_.size());
    strided_object_ = store_.load(CodePart::strided, nullptr);
    for (std::size_t k = 0; strided_object_ != nullptr && k < pieces_.size(); ++k) {
      strided_[k].find(*strided_object_, strided_name, k);
      if (strided_[k].narrow != nullptr) strided_[k].chain = codes_[k].chain;
    }
  }

  void load_batches() const {
    for (auto& codes : batches_) codes.clear();  // of a try that memory ended
    batch_object_ = store_.load(CodePart::batch, nullptr);
    for (std::size_t k = 0; batch_object_ != nullptr && k < pieces_.size(); ++k) {
      for (const int rows : program::kBatchRows) {
        using Function = typename BatchCode<T>::Function;
        BatchCode<T> code;
        code.separate = reinterpret_cast<Function>(batch_object_->find(batch_name(k, rows, false)));
        if (code.separate == nullptr) continue;
        code.shared_y = reinterpret_cast<Function>(batch_object_->find(batch_name(k, rows, true)));
        code.rows = rows;
        batches_[k].push_back(code);
      }
    }
  }

  // What nearly every order takes: five chains deep.
  static constexpr std::size_t kStackAlwaysThere = 10'000;

  const spec::Order order_;
  const std::size_t stack_ = stack_of_walk(order_);
  const bool has_y_;
  const Isa isa_;
  const std::string routine_, hash_;
  const std::int64_t n_max_;
  CodeStore store_;
  const std::vector<Piece> pieces_;
  const SplitTree splits_;
  std::vector<Code<T>> codes_;
  std::vector<Direct> direct_;
  std::shared_ptr<const LoadedObject> object_;
  mutable std::mutex mutex_;  // of what is made later
  mutable std::atomic<bool> strided_is_made_{false};
  mutable std::vector<StridedCode<T>> strided_;  // per piece
  mutable std::shared_ptr<const LoadedObject> strided_object_;
  mutable std::atomic<bool> batch_is_made_{false};
  mutable std::vector<std::vector<BatchCode<T>>> batches_;  // per piece, widest first
  mutable std::shared_ptr<const LoadedObject> batch_object_;
};

}  // namespace

template <class T>
std::shared_ptr<const Kernel<T>> make_kernel(const spec::Order& order, spec::Routine routine,
                                             const std::string& hash, Isa isa, CodeStore store,
                                             std::string& why) {
  if (isa != Isa::interpreter) {
    auto kernel = std::make_shared<GeneratedKernel<T>>(order, routine, hash, isa, store);
    if (kernel->load(why)) return kernel;
  }
  return std::make_shared<GeneratedKernel<T>>(order, routine, hash, Isa::interpreter,
                                              std::move(store));
}

template std::shared_ptr<const Kernel<float>> make_kernel(const spec::Order&, spec::Routine,
                                                          const std::string&, Isa, CodeStore,
                                                          std::string&);
template std::shared_ptr<const Kernel<double>> make_kernel(const spec::Order&, spec::Routine,
                                                           const std::string&, Isa, CodeStore,
                                                           std::string&);

}  // namespace reprosum::kernels

// The tile functions of one order, generated as they are asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/plan/cut.h"
#include "kernels/plan/fold.h"
#include "kernels/program/tile.h"

namespace reprosum::kernels {

// One piece at one length: the plan that computes it, or a part of it.
struct PiecePlan {
  // A chain that starts at the output or at +0 may be cut anywhere, its sum being kept in C: slices
  // add q iterations of the first run onto C, the rest does what follows. A constant piece that a
  // fold adds again and again is one run of q of them, which starts at what is in C.
  enum class Part : std::uint8_t {
    whole,
    slice,
    rest,
    repeat_add,  // repeat: by how each is added
    repeat_add_scaled,
    repeat_fuse_scaled
  } part = Part::whole;
  bool is_repeat() const { return part >= Part::repeat_add; }
  std::size_t piece = 0;
  bool hot = true;
  std::size_t index = 0;  // into RulePlan::hot or cold
  std::int64_t q = 0, r = 0;
  bool operator==(const PiecePlan&) const = default;
};

// The functions of one plan: found without a lock, for that happens for every small product.
class TileList {
 public:
  TileFunction find(const TileShape& shape) const {
    for (const Node* node = first_.load(std::memory_order_acquire); node; node = node->next)
      if (node->shape == shape) return node->function;
    return nullptr;
  }
  // @pre nobody else adds; the object holds the function.
  void add(const TileShape& shape, TileFunction function,
           std::shared_ptr<const LoadedObject> object) {
    nodes_.push_back({shape, function, std::move(object), first_.load(std::memory_order_relaxed)});
    first_.store(&nodes_.back(), std::memory_order_release);
  }

 private:
  struct Node {
    TileShape shape;
    TileFunction function = nullptr;
    std::shared_ptr<const LoadedObject> object;
    const Node* next = nullptr;
  };
  std::deque<Node> nodes_;
  std::atomic<const Node*> first_{nullptr};
};

class AheadObjects;

class OrderTiles : public PieceRules {
 public:
  // The order of one output mode: with_output().
  // Those for AheadObjects only ask for code, which is told to `ahead`: it cannot be called.
  OrderTiles(spec::Order order, spec::Type type, Isa isa, std::string cache_directory,
             AheadObjects* ahead = nullptr);

  const spec::Order& order() const { return order_; }
  const std::string& hash() const { return hash_; }
  Isa isa() const { return isa_; }
  int vector_bits() const { return vector_bits_; }

  bool is_piece(const spec::Rule& rule, std::int64_t n) const override;
  // Returns false, and why, if no tile can compute the piece.
  bool plan_of(const spec::Rule& rule, std::int64_t n, PiecePlan& plan, std::string& why) const;
  const Plan& plan(const PiecePlan& at) const;
  // How the plan is cut, or repeated; nullptr if it cannot be.
  const Cut* cut(const PiecePlan& at) const;
  // Makes `at`, a whole piece, the run of `count` such pieces behind one another that each end so.
  // Returns false, and changes nothing, where the piece is not constant.
  bool repeat(Ending ending, std::int64_t count, PiecePlan& at) const;

  // Thread safe; generated at the first call, kept on disk as the objects of sums are. nullptr
  // where it cannot be generated (see on_compile_thread()): then the interpreter has to do.
  TileFunction function(const PiecePlan& at, const TileShape& shape) const;
  // How many outputs a function by rows interleaves (TileShape::rows); 0: there is none.
  int rows_at_once(const PiecePlan& at) const;
  // The piece as a dot product of its own, or nullptr if it names the output or alpha, or if it
  // cannot be generated. Made at the first call. T is the type of the tiles.
  template <class T>
  const Kernel<T>* dot(const PiecePlan& at) const;
  template <class T>
  bool has_dot(const PiecePlan& at) const;
  // The tile's name in load_code().
  std::string what(const PiecePlan& at, const TileShape& shape) const;
  // Assembly or IR of a tile, for tests.
  std::string listing(const PiecePlan& at, const TileShape& shape, bool ir) const;

 private:
  struct PieceOf {
    const spec::Rule* rule = nullptr;  // as the walk meets it
    spec::Regime regime;               // as it is planned: a split that is a loop is one
    RulePlan plan;
    std::string why;  // why it has no plan
    struct Made {
      Made(const Plan& plan, std::int64_t block);
      std::optional<Cut> cut, repeats[3];  // repeats: by PiecePlan::Part from repeat_add on
      TileList tiles[6];                   // by PiecePlan::Part
    };
    mutable std::deque<Made> hot, cold;  // as the plans
    mutable std::atomic<bool> dot_is_made{false};
    mutable std::shared_ptr<const void> dot;  // Kernel<T>; null: it cannot be generated
  };
  static void make_lists(PieceOf& piece);
  const PieceOf::Made& made(const PiecePlan& at) const;
  TileRequest request(const PiecePlan& at, const TileShape& shape) const;
  bool is_dot(const PiecePlan& at) const;
  std::shared_ptr<const LoadedObject> load_tile(const PiecePlan& at, const TileShape& shape) const;
  spec::Order dot_order(const PieceOf& piece) const;
  template <class T>
  void make_dot(const PieceOf& piece) const;

  const spec::Order order_;
  const spec::Type type_;
  const Isa isa_;
  const std::string cache_directory_;
  const std::string hash_;
  const int vector_bits_;
  AheadObjects* const ahead_;
  std::deque<PieceOf> pieces_;
  mutable std::mutex mutex_;      // held while a tile is generated
  mutable bool gave_up_ = false;  // under it: one of the tiles cannot be made
};

// One per order, type, ISA and directory in the process. On the compile thread.
std::shared_ptr<const OrderTiles> order_tiles(const spec::Order& order, OutputMode mode,
                                              spec::Type type, Isa isa,
                                              const std::string& cache_directory);

}  // namespace reprosum::kernels

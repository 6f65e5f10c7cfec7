#include "kernels/stack_room.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "spec/error.h"
#include "spec/reach.h"

namespace reprosum::kernels {
namespace {

// Measured with GCC at -O3, and half as much again.
constexpr std::size_t kWalk = 4096, kChain = 1100;                 // of numbers
constexpr std::size_t kLaneWalk = 8000, kChainOfLanes = 1700;      // of blocks of lanes
constexpr std::size_t kBlockWalk = 13'000, kChainOfBlocks = 2800;  // of blocks of outputs
constexpr std::size_t kMargin = 6 * 1024;  // guard page, calls of the system

struct Nesting {
  std::size_t chains = 0;
  std::vector<bool> runs;  // sub-orders that add leaves of lanes
};

void look_at(const spec::Schema& schema, Nesting& found) {
  std::vector<std::size_t> depths;
  for (const spec::Chain& chain : schema.chains) {
    std::size_t deepest = 0;
    for (const spec::Item& item : chain.items) {
      if (!item.shape.is_leaf())
        deepest = std::max(deepest, depths[static_cast<std::size_t>(item.shape.chain)]);
      if (item.shape.is_sub()) found.runs[static_cast<std::size_t>(item.shape.sub)] = true;
    }
    depths.push_back(deepest + 1);
    found.chains = std::max(found.chains, deepest + 1);
  }
}

Nesting nesting_of(const spec::Order& order) {
  Nesting found;
  found.runs.resize(order.subs.size());
  for (const spec::Regime& regime : order.regimes) {
    if (const auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (const auto& one : loop->cases) look_at(one.schema, found);
    if (const auto* trees = std::get_if<spec::Explicit>(&regime.rule))
      for (const auto& entry : trees->entries) look_at(entry.tree, found);
  }
  return found;
}

// How many walks may be inside one another where a piece of the sums of windows has windows again.
std::size_t passes(const spec::Order& order) {
  std::size_t most = 0;
  const std::vector<std::int64_t> reach = spec::reaches(order);  // named by others, also beyond hi
  for (std::size_t k = 0; k < order.regimes.size(); ++k) {
    const auto* windows = std::get_if<spec::Windows>(&order.regimes[k].rule);
    if (windows == nullptr) continue;
    std::size_t own = 1;
    for (std::int64_t n = reach[k]; n > windows->width; n = (n - 1) / windows->width + 1) ++own;
    most = std::max(most, own);
  }
  return most;
}

std::size_t stack_of(const spec::Order& order, std::size_t walk, std::size_t chain) {
  const Nesting nesting = nesting_of(order);
  const std::size_t own = walk + nesting.chains * chain;
  std::size_t most = own;
  // Pieces are walked in place of their order; runs of lanes inside its walk.
  for (std::size_t k = 0; k < order.subs.size(); ++k)
    most = std::max(most, nesting.runs[k] ? own + stack_of(order.subs[k], kLaneWalk, kChainOfLanes)
                                          : stack_of(order.subs[k], walk, chain));
  return passes(order) * walk + most;  // windows and what adds their sums are walked inside
}

struct Bounds {
  bool is_known = false;
  std::uintptr_t low = 0, high = 0;
};

Bounds bounds_of_this_thread() {
  Bounds bounds{true};
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    bounds.low = reinterpret_cast<std::uintptr_t>(low);
    bounds.high = bounds.low + size;
  }
  pthread_attr_destroy(&attributes);
  return bounds;
}

}  // namespace

std::size_t stack_of_walk(const spec::Order& order) { return stack_of(order, kWalk, kChain); }

std::size_t stack_of_block_walk(const spec::Order& order) {
  return stack_of(order, kBlockWalk, kChainOfBlocks);
}

void refuse_stack(std::size_t bytes) {
  throw EnvironmentError("the order needs " + std::to_string(bytes) +
                         " bytes of stack, which the calling thread has not, and no other thread "
                         "is to be had");
}

bool has_stack(std::size_t bytes) {
  constinit static thread_local Bounds bounds;
  if (!bounds.is_known) bounds = bounds_of_this_thread();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here < bounds.low || here >= bounds.high) return true;
  return here - bounds.low > bytes + kMargin;
}

}  // namespace reprosum::kernels

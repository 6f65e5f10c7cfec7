// Which nodes of a plan are one vector operation, and in what sequence they are made.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/plan/plan.h"

namespace reprosum::kernels::program {

// Nodes that are made together. A group of runs is one loop for all `vectors`, each a vector of
// equal runs, by ascending place. A group of other nodes is one vector.
struct Group {
  bool is_loop = false;
  std::vector<std::vector<int>> vectors;
};
using Schedule = std::vector<Group>;

// Where a node's value is: lane `lane` of vector `vector`. Vectors are numbered as the schedule
// makes them, from 0; what exists before has numbers below 0.
struct Lane {
  static constexpr int kNowhere = -1'000'000'000;
  int vector = kNowhere, lane = 0;
  bool exists() const { return vector != kNowhere; }
};

// Vectors have 1, 2, 4, ... 64 lanes: other widths make a backend compute lanes that nobody wants.
std::size_t lanes_of_chunk(std::size_t left);

// Every node by itself, in the plan's own sequence: lanes of the order are runs after one another,
// so that a tile of outputs can be as large as the registers allow.
Schedule in_turn(const Plan& plan);

// Runs that differ only in the constant of their place are lanes of one loop, and so are runs of
// one count; equal nodes that are ready together are one vector. `before`: values that exist
// already, per node.
Schedule together(const Plan& plan, const std::vector<Lane>& before);

// Runs that start from nothing and whose places do not depend on r: plans of several r may share
// them. Sorted.
std::vector<Run> started_runs(const Plan& plan);

// A plan of such runs alone, for together(); node k is runs[k].
Plan plan_of_runs(const std::vector<Run>& runs);

}  // namespace reprosum::kernels::program

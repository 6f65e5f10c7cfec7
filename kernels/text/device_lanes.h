// Which instructions of a sum's or dot product's program all lanes do, and which one work-item.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/program/program.h"

namespace reprosum::kernels::text {

// A program cut into stages that run one after the other. In the even ones every lane of a value is
// a work-item of its own: the long loops. In the odd ones the first work-item of the row does
// everything: folds, tails. A value that an odd stage makes or takes from another one lies in the
// group's memory meanwhile, and there is a barrier between the stages.
struct Stages {
  std::vector<std::vector<const program::Instruction*>> stages;
  std::map<program::Id, int> slots;  // of the values that lie in memory: the place of lane 0
  std::map<program::Id, int> stage_of;
  // Values that are the same everywhere and in all lanes: constants, alpha, beta.
  struct Same {
    program::ValueType type;
    std::string text;
  };
  std::map<program::Id, Same> same;
  int width = 1;         // lanes of the widest value of the even stages
  int memory = 0;        // slots of a row
  bool is_wide = false;  // something wide lies in memory
};

// @pre every choice of the program has one range, as that of one plan.
Stages stages_of(const program::Program& program);

}  // namespace reprosum::kernels::text

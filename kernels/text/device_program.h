// A program of one plan as statements of OpenCL C and CUDA C++.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/program/program.h"
#include "kernels/text/device_lanes.h"

namespace reprosum::kernels::text {

struct DeviceBody {
  std::string tables;      // definitions that stand before the function
  std::string statements;  // of one row
  std::string value;       // what it gives, where the first work-item of the row is
};

// A loop whose turns are done some at a time: before them, statements bring what they read into the
// group's memory.
struct StagedLoop {
  spec::Linear at;                 // the least summand that the first turn reads
  std::int64_t per_iteration = 0;  // summands
  std::int64_t each = 1;           // iterations of a turn
  std::int64_t reach = 1;          // summands that one turn reads, from the least to the last
  std::int64_t turns = 1;          // at a time
  std::int64_t summands() const { return per_iteration * each * (turns - 1) + reach; }
};

// Where the elements of the operands are in the text around.
class DevicePlaces {
 public:
  virtual ~DevicePlaces() = default;
  // How the loop is staged, if it is.
  virtual std::optional<StagedLoop> staged(const program::Instruction&) const {
    return std::nullopt;
  }
  // Statements that bring summands `from` .. from + width - 1, variables, into memory.
  virtual std::vector<std::string> fetch(const StagedLoop&) const { return {}; }
  // The element there, `summand` behind `from`.
  virtual std::string fetched(const program::Access&, const std::string& summand) const {
    return summand;
  }
  // The element of a summand, which is an expression, or of an output.
  virtual std::string element(const program::Access& access, const std::string& summand) const = 0;
  virtual std::string store(const program::Access& access, const std::string& value) const = 0;
};

// The statements find in scope: q and r; `lane` of the work-item; the row's slots, which are
// memory[base], memory[base + 1], ... of the group's memory; alpha and beta if they are asked for.
// What one work-item does stands behind `one`, "if (is_first) {" or the like. The last stage is
// left open: `value` is to be used, and then "}" to follow.
DeviceBody device_body(const program::Program& program, const Stages& stages,
                       const DevicePlaces& places, const std::string& one);

}  // namespace reprosum::kernels::text

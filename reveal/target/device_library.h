// A library that computes on a device, with operands in the device's memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reveal/target/device_operands.h"
#include "reveal/target/probed_library.h"

namespace reprosum::reveal {

// The sums of calls are left on the device until finish() brings all of them by one copy.
class DeviceLibrary : public ProbedLibrary {
 public:
  void hold(int operand, const void* first, std::size_t bytes, bool is_new) final;
  void changed(const void* first, std::size_t bytes) final;
  void fetch(void* first, std::size_t bytes) final;
  void call(int routine, const BlasArguments& arguments, double* output) final;
  void call(int routine, const MatrixArguments& arguments) final;
  void finish() final;

 protected:
  static constexpr int kResults = kOperands;  // the buffer of sums
  static constexpr int kBuffers = kOperands + 1;

  virtual DeviceQueue& queue() = 0;
  // Call the library with the operands in these buffers; the sum is value `at` of kResults.
  virtual void run(int routine, const BlasArguments& arguments, int x, int y, std::size_t at) = 0;
  virtual void run(int routine, const MatrixArguments& arguments, int a, int b, int c) = 0;

 private:
  DeviceOperands& operands();

  std::vector<DeviceOperands> operands_;  // none before the first call
  std::vector<double*> outputs_;          // that wait for their values
  bool narrow_ = false;                   // those values are f32
};

// "clblast:LIBRARY,device=1": what follows the colon. Each part may be left out.
struct DeviceLibraryName {
  std::string library;  // "": the usual name
  std::vector<std::pair<std::string, std::string>> settings;

  // The setting's value, or `usual`.
  std::string setting(const std::string& key, const std::string& usual) const;
  // A number of a device, from 0 on. Throws TargetError cannot_load.
  std::size_t device() const;
};
// The settings of each kind of target.
inline constexpr std::string_view kClblastSettings[] = {"device"};
inline constexpr std::string_view kCublasSettings[] = {"device", "math", "workspace", "stream"};

// Throws UserError for a setting that is not among `known`, or is there twice.
DeviceLibraryName parse_device_library(const std::string& name,
                                       std::span<const std::string_view> known);

}  // namespace reprosum::reveal

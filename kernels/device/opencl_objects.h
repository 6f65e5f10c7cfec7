// What stands behind an OpenCL device: its context, and the objects that are made in it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "src/base/opencl_driver.h"

namespace reprosum::kernels::device {

// A device in a context; what is made in it keeps it alive.
class OpenClContext {
 public:
  OpenClContext(const base::OpenClDriver& driver, cl_device_id device);
  // In the user's context, which is kept.
  OpenClContext(const base::OpenClDriver& driver, cl_device_id device, cl_context users);
  ~OpenClContext();
  OpenClContext(const OpenClContext&) = delete;
  OpenClContext& operator=(const OpenClContext&) = delete;

  // Throws EnvironmentError in a child of fork: the driver's threads are not in it.
  void check_process() const;
  bool is_of_this_process() const;

  const base::OpenClDriver& cl;
  const cl_device_id device;
  cl_context context = nullptr;
  Facts facts;
  std::string options;

 private:
  const int generation_;
};
using SharedContext = std::shared_ptr<const OpenClContext>;

class OpenClBuffer : public Buffer {
 public:
  OpenClBuffer(SharedContext context, std::size_t bytes);
  OpenClBuffer(SharedContext context, cl_mem users);  // not owned
  ~OpenClBuffer() override;
  OpenClBuffer(const OpenClBuffer&) = delete;
  OpenClBuffer& operator=(const OpenClBuffer&) = delete;
  std::size_t bytes() const override { return bytes_; }
  cl_mem get() const { return memory_; }
  const SharedContext& context() const { return context_; }

 private:
  const SharedContext context_;
  const std::size_t bytes_;
  const bool owned_;
  cl_mem memory_ = nullptr;
};

class OpenClProgram : public Program {
 public:
  OpenClProgram(SharedContext context, cl_program program);  // built; owns it
  ~OpenClProgram() override;
  OpenClProgram(const OpenClProgram&) = delete;
  OpenClProgram& operator=(const OpenClProgram&) = delete;
  std::string binary() const override;
  // Sets the arguments of the entry and enqueues it; those of one entry are shared by all threads.
  void enqueue(cl_command_queue queue, const std::string& entry, Extent groups, Extent group_size,
               std::span<const Argument> arguments) const;
  const SharedContext& context() const { return context_; }

 private:
  // What an entry takes, place by place.
  enum class Kind : std::uint8_t { pointer, scalar, unknown };
  struct Entry {
    cl_kernel kernel = nullptr;
    std::vector<Kind> kinds;
  };
  const Entry& find(const std::string& entry) const;  // with mutex_ held
  std::vector<Kind> kinds(cl_kernel kernel) const;
  void set(const Entry& entry, const std::string& name, std::span<const Argument> arguments) const;
  const SharedContext context_;
  const cl_program program_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Entry> entries_;
};

// Compiled and linked. Throws EnvironmentError with the compiler's log.
std::shared_ptr<const Program> build_opencl(const SharedContext& context, const std::string& text,
                                            const std::string& options);
std::shared_ptr<const Program> load_opencl(const SharedContext& context, const std::string& binary);

std::unique_ptr<Queue> make_opencl_queue(const SharedContext& context);
std::unique_ptr<Queue> adopt_opencl_queue(const SharedContext& context, cl_command_queue users);

}  // namespace reprosum::kernels::device

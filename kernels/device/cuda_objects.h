// What stands behind a CUDA device: its primary context, and the objects that are made in it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kernels/device/device.h"
#include "kernels/device/packed_programs.h"
#include "src/base/cuda_driver.h"

namespace reprosum::kernels::device {

// A device with its primary context; what is made in it keeps it alive.
class CudaContext {
 public:
  CudaContext(const base::CudaDriver& driver, base::cuda::DeviceNumber device);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // Throws EnvironmentError "<what> on <device>: CUDA_ERROR_..., <in words>" unless it is success.
  void check(base::cuda::Status status, const std::string& what) const;
  // Throws EnvironmentError in a child of fork: CUDA does not work in it.
  void check_process() const;
  bool is_of_this_process() const;

  const base::CudaDriver& cuda;
  const base::cuda::DeviceNumber device;
  base::cuda::Context context = nullptr;
  int capability = 0;                                  // 10 * major + minor
  const std::shared_ptr<const PackedPrograms> packed;  // in place of NVRTC; may be null
  Facts facts;

 private:
  const int generation_;
};
using SharedCudaContext = std::shared_ptr<const CudaContext>;

// The context is the calling thread's while this lives; the one before it is afterwards.
class CurrentContext {
 public:
  explicit CurrentContext(const CudaContext& context);  // throws as check_process() does
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const CudaContext& context_;
};

class CudaBuffer : public Buffer {
 public:
  CudaBuffer(SharedCudaContext context, std::size_t bytes);
  CudaBuffer(SharedCudaContext context, void* users);  // not owned
  ~CudaBuffer() override;
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;
  std::size_t bytes() const override { return bytes_; }
  base::cuda::Address get() const { return address_; }
  const SharedCudaContext& context() const { return context_; }

 private:
  const SharedCudaContext context_;
  std::size_t bytes_ = 0;
  const bool owned_;
  base::cuda::Address address_ = 0;
};

class CudaProgram : public Program {
 public:
  CudaProgram(SharedCudaContext context, std::string code);  // machine code or PTX; loads it
  ~CudaProgram() override;
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;
  std::string binary() const override { return code_; }
  // With the context current.
  void enqueue(base::cuda::Stream stream, const std::string& entry, Extent groups,
               Extent group_size, std::span<const Argument> arguments) const;
  const SharedCudaContext& context() const { return context_; }

 private:
  base::cuda::Function find(const std::string& entry) const;
  // Throws InternalError unless the entry takes arguments of those sizes, as far as the driver
  // says.
  void check_sizes(base::cuda::Function function, const std::string& entry,
                   std::span<const Argument> arguments) const;
  const SharedCudaContext context_;
  const std::string code_;
  base::cuda::Module module_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::map<std::string, base::cuda::Function> functions_;
};

std::unique_ptr<Queue> make_cuda_queue(const SharedCudaContext& context);
std::unique_ptr<Queue> adopt_cuda_queue(const SharedCudaContext& context, base::cuda::Stream users);

}  // namespace reprosum::kernels::device

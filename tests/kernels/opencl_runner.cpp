#include <map>

#include "kernels/device/devices.h"
#include "spec/error.h"
#include "tests/kernels/launch_runner.h"

namespace reprosum::kernels::test {
namespace {

class OpenClRunner : public LaunchRunner {
 public:
  explicit OpenClRunner(std::unique_ptr<device::Device> device)
      : device_(std::move(device)), queue_(device_->make_queue()) {}

  const char* name() const override { return "opencl"; }

  void run(const launch::Launches& launches, const std::vector<Memory>& operands) override {
    if (operands.size() != launches.operands) throw InternalError("another number of operands");
    std::vector<std::unique_ptr<device::Buffer>> buffers;
    for (const Memory& operand : operands) {
      buffers.push_back(device_->allocate(std::max<std::size_t>(1, operand.bytes)));
      if (operand.bytes > 0) queue_->write(*buffers.back(), 0, operand.data, operand.bytes);
    }
    for (const launch::Scratch& scratch : launches.scratch) {
      buffers.push_back(device_->allocate(std::max<std::size_t>(1, scratch.bytes)));
      if (scratch.content != nullptr)
        queue_->write(*buffers.back(), 0, scratch.content->data(), scratch.bytes);
    }
    for (const launch::Launch& one : launches.launches) launch(launches, one, buffers);
    queue_->finish();
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (operands[k].bytes > 0) queue_->read(*buffers[k], 0, operands[k].data, operands[k].bytes);
  }

 private:
  void launch(const launch::Launches& launches, const launch::Launch& one,
              const std::vector<std::unique_ptr<device::Buffer>>& buffers) {
    std::vector<device::Argument> arguments;
    for (const launch::Argument& argument : one.arguments) {
      if (const auto* buffer = std::get_if<launch::BufferNumber>(&argument))
        arguments.emplace_back(buffers.at(buffer->number).get());
      else if (const auto* integer = std::get_if<std::int64_t>(&argument))
        arguments.emplace_back(*integer);
      else if (const auto* f32 = std::get_if<float>(&argument))
        arguments.emplace_back(*f32);
      else
        arguments.emplace_back(std::get<double>(argument));
    }
    const auto& text = launches.texts.at(one.text);
    auto& program = programs_[text->text];
    if (program == nullptr) program = device_->compile(text->text);
    const text::DeviceEntry& entry = text->entries.at(one.entry);
    queue_->launch(*program, entry.name, {one.groups, 1, 1}, {entry.group, 1, 1}, arguments);
  }

  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Queue> queue_;
  std::map<std::string, std::shared_ptr<const device::Program>> programs_;
};

}  // namespace

std::unique_ptr<LaunchRunner> opencl_runner(std::string* why) {
  auto all = device::devices(device::Dialect::opencl, why);
  if (all.empty()) return nullptr;
  return std::make_unique<OpenClRunner>(std::move(all.front()));
}

}  // namespace reprosum::kernels::test

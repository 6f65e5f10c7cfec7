#include "kernels/device/run_launches.h"

#include <algorithm>

#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes

}  // namespace

void LaunchRunner::prepare(const launch::Launches& launches) const {
  for (const auto& text : launches.texts) device_.programs().get(text->text);
}

std::shared_ptr<const Buffer> LaunchRunner::content(const List& list, Queue& queue) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto known = kept_.find(list); known != kept_.end()) return known->second;
  const std::size_t bytes = list->size() * sizeof(std::int64_t);
  std::shared_ptr<Buffer> made = device_.device().allocate(std::max<std::size_t>(1, bytes));
  queue.write(*made, 0, list->data(), bytes);
  if (kept_bytes_ + bytes > kMostKept) {
    kept_.clear();  // who uses one of them holds it
    kept_bytes_ = 0;
  }
  kept_bytes_ += bytes;
  return kept_[list] = made;
}

void LaunchRunner::run(const launch::Launches& launches, Queue& queue,
                       std::span<const Buffer* const> operands) {
  if (operands.size() != launches.operands)
    throw InternalError("launches on another number of operands");
  std::vector<const Buffer*> buffers(operands.begin(), operands.end());
  std::vector<std::shared_ptr<const Buffer>> own;
  for (const launch::Scratch& scratch : launches.scratch) {
    own.push_back(scratch.content != nullptr
                      ? content(scratch.content, queue)
                      : device_.device().allocate(std::max<std::size_t>(1, scratch.bytes)));
    buffers.push_back(own.back().get());
  }
  std::vector<std::shared_ptr<const Program>> programs;
  for (const auto& text : launches.texts) programs.push_back(device_.programs().get(text->text));
  for (const launch::Launch& one : launches.launches) {
    std::vector<Argument> arguments;
    for (const launch::Argument& argument : one.arguments) {
      if (const auto* const buffer = std::get_if<launch::BufferNumber>(&argument))
        arguments.emplace_back(buffers.at(buffer->number));
      else if (const auto* const integer = std::get_if<std::int64_t>(&argument))
        arguments.emplace_back(*integer);
      else if (const auto* const f32 = std::get_if<float>(&argument))
        arguments.emplace_back(*f32);
      else
        arguments.emplace_back(std::get<double>(argument));
    }
    const text::DeviceEntry& entry = launches.texts.at(one.text)->entries.at(one.entry);
    queue.launch(*programs[one.text], entry.name, {one.groups}, {entry.group}, arguments);
  }
  if (!own.empty()) queue.finish();  // before it is freed
}

}  // namespace reprosum::kernels::device

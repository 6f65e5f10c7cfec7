#include "reveal/target/device_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace reprosum::reveal {
namespace {

constexpr std::size_t kResultsAtOnce = 4096;

}  // namespace

DeviceOperands& DeviceLibrary::operands() {
  if (operands_.empty()) {
    operands_.emplace_back(queue());
    queue().reserve(kResults, kResultsAtOnce * sizeof(double));
  }
  return operands_.front();
}

void DeviceLibrary::hold(int operand, const void* first, std::size_t bytes, bool is_new) {
  operands().hold(operand, first, bytes, is_new);
}

void DeviceLibrary::changed(const void* first, std::size_t bytes) {
  operands().changed(first, bytes);
}

void DeviceLibrary::fetch(void* first, std::size_t bytes) { operands().fetch(first, bytes); }

void DeviceLibrary::call(int routine, const BlasArguments& arguments, double* output) {
  const auto [kind, type] = kRoutines[static_cast<std::size_t>(routine)];
  const bool narrow = spec::is_f32(type);
  if (outputs_.size() == kResultsAtOnce || narrow != narrow_) finish();
  narrow_ = narrow;
  operands().send();
  const int x = operands().buffer_of(arguments.x);
  const int y = kind == spec::Routine::dot ? operands().buffer_of(arguments.y) : x;
  run(routine, arguments, x, y, outputs_.size());
  outputs_.push_back(output);
}

void DeviceLibrary::call(int routine, const MatrixArguments& arguments) {
  operands().send();
  run(routine, arguments, operands().buffer_of(arguments.a), operands().buffer_of(arguments.b),
      operands().buffer_of(arguments.c));
}

void DeviceLibrary::finish() {
  if (outputs_.empty()) return;
  const std::vector<double*> outputs = std::move(outputs_);
  outputs_.clear();
  std::vector<double> values(outputs.size());
  const std::size_t element = narrow_ ? sizeof(float) : sizeof(double);
  queue().read(kResults, 0, values.data(), outputs.size() * element);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (narrow_) {
      float value = 0;
      std::memcpy(&value, reinterpret_cast<const std::byte*>(values.data()) + k * sizeof value,
                  sizeof value);
      *outputs[k] = value;
    } else {
      *outputs[k] = values[k];
    }
  }
}

std::string DeviceLibraryName::setting(const std::string& key, const std::string& usual) const {
  const auto at = std::find_if(settings.begin(), settings.end(),
                               [&](const auto& setting) { return setting.first == key; });
  return at == settings.end() ? usual : at->second;
}

std::size_t DeviceLibraryName::device() const {
  const std::string text = setting("device", "0");
  std::size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw TargetError("cannot_load", "device=" + text + " is no number of a device");
  return number;
}

DeviceLibraryName parse_device_library(const std::string& name,
                                       std::span<const std::string_view> known) {
  DeviceLibraryName out;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t comma = std::min(name.find(',', at), name.size());
    const std::string part = name.substr(at, comma - at);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos && at == 0) {
      out.library = part;
    } else {
      const std::string key = part.substr(0, equals);
      if (equals == std::string::npos || std::find(known.begin(), known.end(), key) == known.end())
        throw UserError(fmt::format("\"{}\" is no setting of this kind of target; it has {}", part,
                                    fmt::join(known, ", ")));
      if (out.setting(key, "\n") != "\n") throw UserError(key + " is set twice in " + name);
      out.settings.emplace_back(key, part.substr(equals + 1));
    }
    at = comma + 1;
  }
  return out;
}

}  // namespace reprosum::reveal

#include "kernels/device/program_store.h"

#include <optional>

#include "spec/error.h"

namespace reprosum::kernels::device {

std::string program_key(const Facts& facts, const std::string& options, const std::string& text) {
  return std::string("device program 1\ndialect ") + name(facts.dialect) + "\ntarget " +
         facts.target + "\ncompiler " + facts.compiler + "\noptions " + options + "\ntext " +
         sha256(text) + "\n";
}

std::shared_ptr<const Program> ProgramStore::get(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = programs_.find(text);
  if (known != programs_.end()) return known->second;
  return programs_[text] = make(text);
}

std::shared_ptr<const Program> ProgramStore::make(const std::string& text) {
  const std::string key = program_key(device_.facts(), device_.options(), text);
  if (const std::optional<std::string> binary = cache_.load(key)) {
    try {
      auto program = device_.load(*binary);
      ++counts_.loaded;
      return program;
    } catch (const EnvironmentError&) {
      // Whole, but nothing that this driver takes: made again.
    }
  }
  auto program = device_.compile(text);
  ++counts_.compiled;
  try {
    if (cache_.keeps()) cache_.store(key, program->binary());
  } catch (const EnvironmentError&) {
    // A driver that gives no binary: the program runs all the same.
  }
  return program;
}

ProgramStore::Counts ProgramStore::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

}  // namespace reprosum::kernels::device

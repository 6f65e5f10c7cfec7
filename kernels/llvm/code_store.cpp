#include "kernels/llvm/code_store.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include <atomic>
#include <map>

#include "kernels/object_cache.h"
#include "spec/error.h"
#include "spec/spec.h"
#include "src/base/fork_gate.h"

namespace reprosum::kernels {
namespace {

std::string list_features() {
  std::map<std::string, bool> sorted;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    sorted[feature.getKey().str()] = feature.getValue();
  std::string text = llvm::sys::getHostCPUName().str();
  for (const auto& [name, present] : sorted)
    if (present) text += "," + name;
  return text;
}

}  // namespace

const std::string& host_features() {
  static std::atomic<const std::string*> features{nullptr};
  return base::made_once(features, list_features);
}

std::string CodeStore::key(CodePart part) const {
  const CodeTarget target = code_target(isa_);
  return "order " + hash_ + "\nroutine " + spec::blas_name(routine_, type_) + "\nisa " +
         name(isa_) + "\ncpu " + target.cpu + "\ntriple " + target.triple + "\npart " +
         (part == CodePart::batch     ? "batch"
          : part == CodePart::strided ? "strided"
                                      : "single") +
         "\ngenerator " + std::to_string(kGeneratorVersion) +
         "\nllvm " LLVM_VERSION_STRING "\nhost " + host_features() + "\n";
}

std::shared_ptr<const LoadedObject> CodeStore::load(CodePart part, std::string* why) const {
  if (isa_ == Isa::interpreter) return nullptr;
  const ObjectCache cache(cache_directory_);
  const std::string cache_key = key(part);
  // The content is the line `why`, then the object.
  const auto loaded = [&](const std::string& content) {
    const std::size_t line = content.find('\n');
    if (line == std::string::npos) throw EnvironmentError("a kernel without its first line");
    const std::string object = content.substr(line + 1);
    auto made = object.empty() ? nullptr : load_object(object);
    if (why != nullptr) *why = content.substr(0, line);
    return made;
  };
  if (const std::optional<std::string> content = cache.load(cache_key)) {
    try {
      return loaded(*content);
    } catch (const EnvironmentError&) {
      // Whole, but nothing that can be loaded: made again.
    }
  }
  const GeneratedCode code =
      generate_order(*order_, routine_, type_, code_target(isa_), part, CodeForm::object, false);
  const std::string content = code.why + "\n" + code.bytes;
  auto made = loaded(content);
  cache.store(cache_key, content);
  return made;
}

}  // namespace reprosum::kernels

#include "kernels/code_store.h"

#include <optional>

#include "kernels/linked_code.h"
#include "kernels/object_cache.h"
#include "spec/error.h"

namespace reprosum::kernels {
namespace {

std::string cache_key(const Backend& backend, const std::string& what) {
  const CodeTarget& target = backend.target;
  return "backend " + std::string(backend.name) + "\n" + what + "\ncpu " + target.cpu + " " +
         target.features + "\ntriple " + target.triple + "\ngenerator " +
         std::to_string(kGeneratorVersion) + "\n" + backend.version() + "\n";
}

const char* part_name(CodePart part) {
  switch (part) {
    case CodePart::single:
      return "single";
    case CodePart::batch:
      return "batch";
    case CodePart::strided:
      return "strided";
  }
  throw InternalError("part_name: unknown part");
}

}  // namespace

std::string request_name(const std::string& order_hash, spec::Routine routine, spec::Type type,
                         CodePart part) {
  return "order " + order_hash + "\nroutine " + spec::blas_name(routine, type) + "\npart " +
         part_name(part);
}

std::shared_ptr<const LoadedObject> load_code(Isa isa, const std::string& what,
                                              const CodeRequest& request,
                                              const std::string& cache_directory,
                                              std::string* why) {
  if (auto linked = find_linked_code(isa, what, why)) return linked;
  const Backend& backend = kernels::backend(isa);
  if (backend.compile == nullptr || backend.load == nullptr) return nullptr;
  const ObjectCache cache(cache_directory);
  const std::string key = cache_key(backend, what);
  // The content is the line `why`, then the object.
  const auto loaded = [&](const std::string& content) {
    const std::size_t line = content.find('\n');
    if (line == std::string::npos) throw EnvironmentError("a kernel without its first line");
    const std::string object = content.substr(line + 1);
    auto made = object.empty() ? nullptr : backend.load(object);
    if (why != nullptr) *why = content.substr(0, line);
    return made;
  };
  if (const std::optional<std::string> content = cache.load(key)) {
    try {
      return loaded(*content);
    } catch (const EnvironmentError&) {
      // Whole, but nothing that can be loaded: made again.
    }
  }
  const GeneratedCode code = backend.compile(backend.target, request);
  const std::string content = code.why + "\n" + code.bytes;
  auto made = loaded(content);
  cache.store(key, content);
  return made;
}

std::shared_ptr<const LoadedObject> CodeStore::load(CodePart part, std::string* why) const {
  return load_code(isa_, request_name(hash_, routine_, type_, part),
                   OrderRequest{*order_, routine_, type_, part}, cache_directory_, why);
}

}  // namespace reprosum::kernels

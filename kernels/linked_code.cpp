#include "kernels/linked_code.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "src/base/fork_gate.h"

namespace reprosum::kernels {
namespace {

class LinkedObject : public LoadedObject {
 public:
  explicit LinkedObject(LinkedCode code) : code_(std::move(code)) {}
  const std::string& why() const { return code_.why; }
  void* find(const std::string& name) const override {
    const auto found = code_.functions.find(name);
    return found == code_.functions.end() ? nullptr : found->second;
  }

 private:
  const LinkedCode code_;
};

using ByRequest = std::map<std::string, std::shared_ptr<const LinkedObject>>;  // by what

constinit std::mutex mutex;
constinit std::map<std::string, ByRequest>* by_backend = nullptr;  // never freed: programs end late
constinit std::atomic<std::size_t> taken{0};

const ByRequest* objects_of(Isa isa) {
  if (by_backend == nullptr) return nullptr;
  const auto found = by_backend->find(name(isa));
  return found == by_backend->end() ? nullptr : &found->second;
}

}  // namespace

void add_linked_code(const std::string& backend, const std::string& what, LinkedCode code) {
  const base::ForkSafeLock lock(mutex);
  if (by_backend == nullptr) by_backend = new std::map<std::string, ByRequest>;
  auto& place = (*by_backend)[backend][what];
  if (place == nullptr) place = std::make_shared<const LinkedObject>(std::move(code));
}

std::shared_ptr<const LoadedObject> find_linked_code(Isa isa, const std::string& what,
                                                     std::string* why) {
  const base::ForkSafeLock lock(mutex);
  const ByRequest* const objects = objects_of(isa);
  if (objects == nullptr) return nullptr;
  const auto found = objects->find(what);
  if (found == objects->end()) return nullptr;
  taken.fetch_add(1);
  if (why != nullptr) *why = found->second->why();
  return found->second;
}

bool has_linked_code(Isa isa) {
  const base::ForkSafeLock lock(mutex);
  return objects_of(isa) != nullptr;
}

std::size_t linked_code_taken() { return taken.load(); }

}  // namespace reprosum::kernels

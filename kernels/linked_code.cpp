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

// Found without a lock: the thread that makes kernels asks, and fork() waits for that thread while
// it lets nobody take a lock that is safe from forks. Never freed: programs end late.
struct Node {
  std::string backend, what;
  std::shared_ptr<const LinkedObject> object;
  const Node* next = nullptr;
};

constinit std::mutex mutex;  // of those who add
constinit std::atomic<const Node*> first{nullptr};
constinit std::atomic<std::size_t> taken{0};

const Node* find(const std::string& backend, const std::string& what) {
  const Node* node = first.load(std::memory_order_acquire);
  while (node != nullptr && (node->what != what || node->backend != backend)) node = node->next;
  return node;
}

}  // namespace

void add_linked_code(const std::string& backend, const std::string& what, LinkedCode code) {
  const base::ForkSafeLock lock(mutex);
  if (find(backend, what) != nullptr) return;
  first.store(new Node{backend, what, std::make_shared<const LinkedObject>(std::move(code)),
                       first.load(std::memory_order_relaxed)},
              std::memory_order_release);
}

std::shared_ptr<const LoadedObject> find_linked_code(Isa isa, const std::string& what,
                                                     std::string* why) {
  const Node* const found = find(name(isa), what);
  if (found == nullptr) return nullptr;
  taken.fetch_add(1);
  if (why != nullptr) *why = found->object->why();
  return found->object;
}

bool has_linked_code(Isa isa) {
  const Node* node = first.load(std::memory_order_acquire);
  while (node != nullptr && node->backend != name(isa)) node = node->next;
  return node != nullptr;
}

std::size_t linked_code_taken() { return taken.load(); }

}  // namespace reprosum::kernels

// Generated objects in this process.
#pragma once

#include <memory>
#include <string>

namespace reprosum::kernels {

class LoadedObject {
 public:
  virtual ~LoadedObject() = default;
  // Address of a function of the object, or nullptr.
  virtual void* find(const std::string& name) const = 0;
};

// Throws EnvironmentError if the object cannot be loaded: it is none, is another machine's, needs
// something from outside, or has no function. On the compile thread.
std::shared_ptr<const LoadedObject> load_object(const std::string& object);

}  // namespace reprosum::kernels

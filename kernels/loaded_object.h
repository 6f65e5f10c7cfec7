// The functions of an object in this process.
#pragma once

#include <string>

namespace reprosum::kernels {

class LoadedObject {
 public:
  virtual ~LoadedObject() = default;
  // Address of a function of the object, or nullptr.
  virtual void* find(const std::string& name) const = 0;
};

}  // namespace reprosum::kernels

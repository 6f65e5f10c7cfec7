// The loaded objects of the process: whose an address is.
#pragma once

#include <link.h>

namespace reprosum::blas {

const link_map* map_of(const void* address);
const link_map* our_map();

// A handle of the object that an address belongs to; null for the program itself, and for code that
// was made at run time.
class ObjectHandle {
 public:
  explicit ObjectHandle(const void* address);
  ~ObjectHandle();
  ObjectHandle(const ObjectHandle&) = delete;
  ObjectHandle& operator=(const ObjectHandle&) = delete;

  void* get() const { return handle_; }
  // The object's own `name`, not that of one that it needs.
  bool has(const char* name) const;

 private:
  const link_map* map_;
  void* handle_ = nullptr;
};

// Keeps the object that the address belongs to for the life of the process, as addresses are that
// were found in it.
void pin(const void* address);

// Whether the library behind the handle needs libreprosum, as we and our copies do.
bool needs_libreprosum(void* handle);
// Whether the address lies in this library or in another copy of it.
bool is_ours(const void* address);
// Whether it lies in a BLAS: an object that itself has a dot product under one of BLAS's names.
bool is_in_blas(const void* address);

}  // namespace reprosum::blas

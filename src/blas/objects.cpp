#include "src/blas/objects.h"

#include <dlfcn.h>

#include <atomic>
#include <initializer_list>

namespace reprosum::blas {

const link_map* map_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return nullptr;
  return map;
}

const link_map* our_map() {
  static const char here = 0;
  static std::atomic<const link_map*> map{nullptr};
  if (map.load(std::memory_order_acquire) == nullptr) map = map_of(&here);
  return map;
}

ObjectHandle::ObjectHandle(const void* address) : map_(map_of(address)) {
  if (map_ == nullptr || map_->l_name == nullptr || map_->l_name[0] == '\0') return;
  handle_ = dlopen(map_->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

ObjectHandle::~ObjectHandle() {
  if (handle_ != nullptr) dlclose(handle_);
}

bool ObjectHandle::has(const char* name) const {
  if (handle_ == nullptr) return false;
  const void* const address = dlsym(handle_, name);
  return address != nullptr && map_of(address) == map_;
}

void pin(const void* address) {
  const link_map* const map = address == nullptr ? nullptr : map_of(address);
  if (map != nullptr && map->l_name != nullptr && map->l_name[0] != '\0')
    dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

bool needs_libreprosum(void* handle) { return dlsym(handle, "reprosum_version") != nullptr; }

// Another copy of this library (libblas.so.3 beside the preloaded one) is told by the libreprosum
// behind it, and by a symbol that it has itself: a program's library that only needs us has not.
bool is_ours(const void* address) {
  const link_map* const map = map_of(address);
  if (map == nullptr) return false;
  if (map == our_map()) return true;
  const ObjectHandle object(address);
  return object.get() != nullptr && needs_libreprosum(object.get()) && object.has("cblas_dsum64_");
}

bool is_in_blas(const void* address) {
  const ObjectHandle object(address);
  for (const char* const name :
       {"ddot_", "cblas_ddot", "ddot_64_", "ddot_64", "cblas_ddot64_", "cblas_ddot_64",
        "scipy_ddot_", "scipy_cblas_ddot", "scipy_ddot_64_", "scipy_cblas_ddot64_"})
    if (object.has(name)) return true;
  return false;
}

}  // namespace reprosum::blas

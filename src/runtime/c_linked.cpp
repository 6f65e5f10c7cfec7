// The C API: kernels that the program brings along.
#include <dlfcn.h>
#include <link.h>
#include <reprosum/kernels.h>

#include <string>
#include <utility>

#include "kernels/linked_code.h"
#include "src/runtime/border.h"

using namespace reprosum::runtime;

namespace {

// Calls may be running the code whenever its library is closed, so that library stays.
void keep_loaded(reprosum_code code) {
  Dl_info info;
  link_map* library = nullptr;
  if (dladdr1(reinterpret_cast<void*>(code), &info, reinterpret_cast<void**>(&library),
              RTLD_DL_LINKMAP) == 0 ||
      library == nullptr || library->l_name == nullptr || *library->l_name == '\0')
    return;  // the program itself
  dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

extern "C" {

reprosum_status reprosum_add_linked_kernels(int generator, const reprosum_linked_object* objects,
                                            size_t count) {
  try {
    if (generator != reprosum::kernels::kGeneratorVersion)
      throw reprosum::EnvironmentError(
          "the linked kernels are of generator " + std::to_string(generator) +
          ", this library takes those of generator " +
          std::to_string(reprosum::kernels::kGeneratorVersion) + ": run reprosum gen again");
    if (count > 0) require(objects, "objects");
    for (size_t k = 0; k < count; ++k) {
      const reprosum_linked_object& object = objects[k];
      require(object.backend, "the backend of an object");
      require(object.request, "the request of an object");
      if (object.count > 0) {
        require(object.functions, "the functions of an object");
        keep_loaded(object.functions[0].code);
      }
      reprosum::kernels::LinkedCode code;
      if (object.remark != nullptr) code.why = object.remark;
      for (size_t f = 0; f < object.count; ++f) {
        require(object.functions[f].name, "the name of a function");
        code.functions[object.functions[f].name] =
            reinterpret_cast<void*>(object.functions[f].code);
      }
      reprosum::kernels::add_linked_code(object.backend, object.request, std::move(code));
    }
    return REPROSUM_OK;
  } catch (...) {
    return status_of_current_exception(nullptr, REPROSUM_BAD_ARGUMENT);
  }
}

size_t reprosum_linked_kernels_taken(void) { return reprosum::kernels::linked_code_taken(); }

}  // extern "C"

#include "src/python/faults.h"

#include <string>

namespace reprosum::python {
namespace {

namespace nb = nanobind;

// One for each status but OK; each is also the built-in kind that a Python user would catch. They
// live as long as the process: a module's exceptions are never freed.
struct Faults {
  PyObject* error = nullptr;
  PyObject* kinds[REPROSUM_CANCELLED + 1] = {};
} faults;

PyObject* make(nb::module_& module, const char* name, const char* text, nb::handle bases) {
  PyObject* const type = PyErr_NewExceptionWithDoc((std::string("reprosum.") + name).c_str(), text,
                                                   bases.ptr(), nullptr);
  if (type == nullptr) nb::raise_python_error();
  module.attr(name) = nb::borrow(type);
  return type;
}

}  // namespace

void add_faults(nb::module_& module) {
  faults.error = make(module, "Error", "What reprosum raises.", nb::handle(PyExc_Exception));
  const auto kind = [&](reprosum_status status, const char* name, const char* text,
                        PyObject* built_in) {
    const nb::tuple bases = nb::make_tuple(nb::borrow(faults.error), nb::borrow(built_in));
    faults.kinds[status] = make(module, name, text, bases);
  };
  kind(REPROSUM_BAD_ARGUMENT, "BadArgument", "An argument that no call takes.", PyExc_ValueError);
  kind(REPROSUM_NOT_COVERED, "NotCovered",
       "The spec does not say what the captured library does here.", PyExc_LookupError);
  kind(REPROSUM_BAD_SPEC, "BadSpec", "A document that is no spec; the message says where.",
       PyExc_ValueError);
  kind(REPROSUM_ENVIRONMENT, "EnvironmentFault",
       "No such file or library, no memory, a target that cannot be used.", PyExc_OSError);
  kind(REPROSUM_INTERNAL, "InternalError", "A fault of reprosum itself: please report it.",
       PyExc_RuntimeError);
  kind(REPROSUM_CANCELLED, "Cancelled", "The progress function ended the run.", PyExc_RuntimeError);
}

void check(reprosum_status status, const char* message) {
  if (status == REPROSUM_OK) return;
  const bool is_known = status > REPROSUM_OK && status <= REPROSUM_CANCELLED;
  PyErr_SetString(is_known ? faults.kinds[status] : faults.error, message);
  nb::raise_python_error();
}

}  // namespace reprosum::python

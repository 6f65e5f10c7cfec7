#include "src/python/module.h"

#include <nanobind/nanobind.h>

#include "reprosum/reprosum.h"
#include "src/python/faults.h"

NB_MODULE(_core, module) {
  module.doc() = "The C API of libreprosum for the package reprosum, which is what to import.";
  reprosum::python::add_faults(module);
  reprosum::python::add_exact(module);
  reprosum::python::add_replay(module);
#if REPROSUM_PYTHON_CAPTURE
  reprosum::python::add_capture(module);
#endif
  module.attr("has_capture") = bool(REPROSUM_PYTHON_CAPTURE);
  module.attr("__version__") = reprosum_version();
}

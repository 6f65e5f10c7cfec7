#include "reveal/target/probed_library.h"

namespace reprosum::reveal {

int routine_index(spec::Routine routine, spec::Type type) {
  for (std::size_t i = 0; i < kRoutines.size(); ++i) {
    if (kRoutines[i] == std::pair{routine, type}) return static_cast<int>(i);
  }
  throw InternalError("a routine that no BLAS target knows");
}

}  // namespace reprosum::reveal

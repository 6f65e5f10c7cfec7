// The variables of the process, for whoever may believe them.
#pragma once

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace reprosum::base {

// Whether the process has rights that whoever started it has not (set-uid, set-gid, capabilities).
// Its variables, its working directory and its HOME are a stranger's choice then.
inline bool is_privileged() { return ::getauxval(AT_SECURE) != 0; }

// The variable's value; null if it is unset, or if the process is privileged: a file that it names
// would be loaded, as code even, with rights that its author has not. Nothing of this project reads
// the environment in another way; a test looks for that.
inline const char* variable(const char* name) { return ::secure_getenv(name); }

// see(name) for each variable whose name begins so; for none in a privileged process.
template <class See>
void each_variable(std::string_view prefix, See&& see) {
  if (is_privileged() || ::environ == nullptr) return;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (text.starts_with(prefix) && equals != text.npos) see(text.substr(0, equals));
  }
}

}  // namespace reprosum::base

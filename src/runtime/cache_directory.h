// Where generated kernels are kept between processes.
#pragma once

#include <string>

namespace reprosum::runtime {

// $REPROSUM_CACHE_DIR if it is set (empty: no cache on disk), else $XDG_CACHE_HOME/reprosum, else
// $HOME/.cache/reprosum, else "" (no cache on disk). Absolute, so that it stays where it is when
// the program goes elsewhere. A privileged process has none: code is loaded from it.
std::string cache_directory();

}  // namespace reprosum::runtime

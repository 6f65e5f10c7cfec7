// Files that somebody names.
#pragma once

#include <cstddef>
#include <string>

namespace reprosum::base {

// What is at a path if it is no regular file ("a FIFO", "a directory", "a device" ...), which might
// keep whoever opens it waiting; "" for a regular file and where nothing is.
std::string irregular(const std::string& path);
// The same of a library as dlopen takes its name: what has no slash is no path.
std::string irregular_library(const std::string& name);

struct FileText {
  std::string text;
  std::string why;  // not empty: there is no text; "it is a FIFO, not a regular file"
};

// The text of a regular file of at most `largest` bytes, as long as it is when it is opened: a file
// of /proc, which says that it has none and may never end, is empty. Never waits for a writer.
FileText read_file(const std::string& path, std::size_t largest);

}  // namespace reprosum::base

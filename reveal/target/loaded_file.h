// A shared object in this process: which file it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reprosum::reveal {

std::string real_path(const char* path);

// "library.path" and "library.soname" of what dlopen() gave.
std::vector<std::pair<std::string, std::string>> describe_file(void* handle);

// The file that holds this address; "" if none does.
std::string file_of(void* address);

// "mapped.<file>.path" of each other shared object of this process, sorted: what a library loads
// can change its bits, a runtime of threads or of Fortran, or the backend of a wrapper.
std::vector<std::pair<std::string, std::string>> describe_others(
    const std::vector<std::string>& known);

}  // namespace reprosum::reveal

#include "src/base/shared_library.h"

#include <dlfcn.h>

#include "src/base/environment.h"
#include "src/base/fork_gate.h"
#include "src/base/read_file.h"

namespace reprosum::base {

SharedLibrary SharedLibrary::open(const std::vector<std::string>& names, std::string* why) {
  SharedLibrary library;
  if (is_privileged()) {
    *why = "a process with more rights than its starter loads no drivers";
    return library;
  }
  std::string tried, first_answer;
  for (const std::string& name : names) {
    // A FIFO would keep dlopen waiting.
    const std::string irregular = irregular_library(name);
    library.handle_ = irregular.empty() ? ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (library.handle_ != nullptr) {
      library.name_ = name;
      return library;
    }
    const char* const answer = irregular.empty() ? ::dlerror() : nullptr;
    tried += (tried.empty() ? "" : ", ") + name;
    if (first_answer.empty()) first_answer = answer != nullptr ? answer : name + " is " + irregular;
  }
  *why = tried + (names.size() == 1 ? " was not loaded: " : ": none was loaded: ") + first_answer;
  return library;
}

void* SharedLibrary::find(const char* symbol) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, symbol);
}

bool is_lost_by_fork(const std::string& driver, int generation, std::string* why) {
  if (generation == base::generation()) return false;
  *why = driver +
         " was loaded before this process was forked, and its threads are not in it: use devices "
         "in a process that starts anew, or load nothing before the fork";
  return true;
}

}  // namespace reprosum::base

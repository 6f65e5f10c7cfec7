// Libraries that this one works without, found when they are first needed.
#pragma once

#include <string>
#include <vector>

namespace reprosum::base {

// A library that stays loaded until the process ends: drivers start threads and keep handlers, and
// none of them survives being unloaded.
class SharedLibrary {
 public:
  // The first of the names that dlopen takes. Where none does, is_open() is false and `why` says
  // what was looked for and what the loader answered to the first name. Nothing is loaded into a
  // privileged process: drivers believe variables that its starter has set.
  static SharedLibrary open(const std::vector<std::string>& names, std::string* why);

  bool is_open() const { return handle_ != nullptr; }
  const std::string& name() const { return name_; }  // the one that was taken
  void* handle() const { return handle_; }           // as dlopen() gave it
  void* find(const char* symbol) const;              // nullptr if it is not there

 private:
  void* handle_ = nullptr;
  std::string name_;
};

// Whether the driver was found at another generation() (fork_gate.h) than this one: its threads are
// in the parent then, and a call would wait for them. `why` says so.
bool is_lost_by_fork(const std::string& driver, int generation, std::string* why);

}  // namespace reprosum::base

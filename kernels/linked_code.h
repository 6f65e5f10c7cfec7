// Code that the program brought along, made ahead of time: taken before any is generated.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "kernels/backends.h"

namespace reprosum::kernels {

// One object: what load_code() asks for by these two, and its functions. The first of one name
// stays. Thread safe. @pre the code stays in the process
struct LinkedCode {
  std::string why;  // which calls the interpreter serves, and why
  std::map<std::string, void*> functions;
};
void add_linked_code(const std::string& backend, const std::string& what, LinkedCode code);

// nullptr if there is none.
std::shared_ptr<const LoadedObject> find_linked_code(Isa isa, const std::string& what,
                                                     std::string* why);
bool has_linked_code(Isa isa);

// How many objects were taken in this process.
std::size_t linked_code_taken();

}  // namespace reprosum::kernels

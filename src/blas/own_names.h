// Names of extensions that a program has for something of its own. BLAS does not own "dsum": a
// Fortran library may have a function of that name, which a preloaded library must not take over.
#pragma once

namespace reprosum::blas {

// Whether the reference BLAS lacks the routine: sum, axpby, amax ...
bool is_extra(const char* name);

struct OwnName {
  void* address = nullptr;  // what the call means; null: BLAS
  bool is_final = true;     // for every caller and as long as the process lives
};

// What `name` means to a caller at this address, if this library were not there: the next
// definition in the global scope, or without one the first among the caller's object and what that
// needs. By an extension's name it is the program's own if its object is no BLAS; by another name
// it is whatever has it. Thread safe; a lock is only taken when a caller asks for the first time.
OwnName own_name(const char* name, const void* caller);

}  // namespace reprosum::blas

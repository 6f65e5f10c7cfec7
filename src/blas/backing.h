// The BLAS behind this one. REPROSUM_BACKING names its file or soname; without it, it is whatever
// else in the process has the symbol.
#pragma once

#include <string>
#include <string_view>

namespace reprosum::blas {

struct Found {
  void* address = nullptr;  // null: `why` says why
  std::string why;
  bool is_final = true;  // false: for this call alone
  void* wide = nullptr;  // what was passed over: see find_in_backing()
};

// The symbol `name`, or if there is none its other name `twin` (null or "": it has none). Never a
// symbol of this library, nor of another copy of it, so that a call cannot run in a circle.
//
// REPROSUM_BACKING is opened with RTLD_LOCAL. Its own references to BLAS symbols and to xerbla_ go
// through the global scope first: the program's xerbla_ is the one that is called, as BLAS asks,
// and a CBLAS layer that calls ddot_ calls ours. RTLD_DEEPBIND (REPROSUM_BACKING_BIND=deep) binds
// them inside the backing; it is needed where another copy of the backing is in the global scope,
// whose internal symbols would otherwise be taken.
//
// Without REPROSUM_BACKING: RTLD_NEXT, the libraries after this one in the global scope; else the
// first loaded library that has the symbol, in load order, which finds a BLAS that only a Python
// module needs. One that takes 64-bit integers under names without 64 (Debian's libblas64.so.3) is
// passed over and told: it is meant by who needs it itself.
Found find_in_backing(const char* name, const char* twin);

// Why names without 64 in them cannot be served in this process: REPROSUM_BACKING names no BLAS,
// and what the program would call without this library is such a one, so that this library would
// read half of each integer. "": they can.
const std::string& why_no_narrow_names();
// Whether integers of this symbol may have 32 or 64 bits, by the library that has it.
bool is_narrow(std::string_view symbol);

// The process's `name` (an error handler): `linked`, which the loader bound (null: it found none),
// else the global scope's, the backing's, or the first loaded library's; null if nobody has it. Not
// a trampoline of ours.
void* find_handler(const char* name, void* linked);

}  // namespace reprosum::blas

// What the command knows by name about the libraries that people probe. The engine knows none: it
// is told environment variables to set and symbols to ask.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reprosum::report {

// NAME=VALUE for every variable by which some BLAS is told its number of threads, and how long its
// threads wait for work before they sleep unless that is set already: it changes no order.
std::vector<std::string> thread_environment(int threads);

// Symbols `void (int)` that set the number of threads: OpenBLAS cuts its variable to the number of
// processors, so that what two threads give would be taken for what three do.
std::vector<std::string> thread_setters();

// Symbols `const char* (void)` by which libraries say what they are and which kernels they run.
std::vector<std::string> identity_symbols();

// Variables that choose a library's kernels and are set now, with their values; sorted.
std::vector<std::pair<std::string, std::string>> selecting_environment();

// File names under which a BLAS is usually installed.
std::vector<std::string> usual_library_names();

}  // namespace reprosum::report

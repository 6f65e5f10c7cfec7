// SHA-256 of a file, for provenance.
#pragma once

#include <string>

namespace reprosum::reveal {

// In lower-case hex; "unreadable" if the file cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace reprosum::reveal

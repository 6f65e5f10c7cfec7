// SHA-256, callable at any time.
#pragma once

#include <string>

namespace reprosum::spec {

std::string sha256_hex(const std::string& bytes);  // 64 lower-case digits

}  // namespace reprosum::spec

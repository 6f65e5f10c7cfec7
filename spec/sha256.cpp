// The functions below compute and do nothing else. OpenSSL would rather have EVP used, which
// searches providers under locks that a child of fork may find locked, and which is no more once
// exit() has run OpenSSL's own handler, while other threads and later handlers may still call us.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "spec/sha256.h"

#include <openssl/sha.h>

namespace reprosum::spec {

std::string sha256_hex(const std::string& bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest, &context);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace reprosum::spec

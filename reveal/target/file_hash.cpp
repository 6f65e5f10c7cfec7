#include "reveal/target/file_hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include "spec/error.h"

namespace reprosum::reveal {

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "unreadable";
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    throw EnvironmentError("OpenSSL offers no SHA-256");
  }
  std::vector<char> buffer(std::size_t{1} << 16);
  do {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(file.gcount()));
  } while (file);
  if (file.bad()) return "unreadable";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace reprosum::reveal

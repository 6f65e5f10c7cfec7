// Generated objects on disk, trusted only as far as they prove themselves.
#pragma once

#include <optional>
#include <string>

namespace reprosum::kernels {

std::string sha256(const std::string& bytes);  // lower-case hex

// One directory; "" caches nothing. A file holds its key and the SHA-256 of its content: one that
// is damaged, foreign (another owner, writable by others, a link) or under another key is not read.
class ObjectCache {
 public:
  explicit ObjectCache(std::string directory) : directory_(std::move(directory)) {}

  bool keeps() const { return !directory_.empty(); }

  std::optional<std::string> load(const std::string& key) const;
  // Written beside and renamed, so that a reader sees all or nothing. Failure is no error: the next
  // process generates again. The first time, what killed writers left an hour or more ago is
  // removed.
  void store(const std::string& key, const std::string& content) const;

  std::string path(const std::string& key) const;
  bool has_file(const std::string& key) const;  // whether load() would take it or not

 private:
  bool is_safe() const;
  std::string directory_;
};

}  // namespace reprosum::kernels

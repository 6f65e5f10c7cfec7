#include "kernels/object_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <system_error>

#include "spec/sha256.h"

namespace reprosum::kernels {
namespace {

constexpr const char* kMagic = "reprosum kernel object 1\n";
constexpr off_t kMaxFile = 64 << 20;

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

bool only_ours(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

constexpr const char* kWriting = ".writing-";
constexpr std::time_t kStale = 3600;  // seconds that no write takes

// What writers left that were killed.
void sweep(const std::string& directory) {
  std::error_code error;
  const std::time_t now = std::time(nullptr);
  std::filesystem::directory_iterator file(directory, error);
  for (; !error && file != std::filesystem::directory_iterator(); file.increment(error)) {
    if (!file->path().filename().string().starts_with(kWriting)) continue;
    struct stat status {};
    if (::lstat(file->path().c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == ::geteuid() && now - status.st_mtime > kStale)
      ::unlink(file->path().c_str());
  }
}

bool write_all(int descriptor, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

std::string sha256(const std::string& bytes) { return spec::sha256_hex(bytes); }

std::string ObjectCache::path(const std::string& key) const {
  return directory_ + "/" + sha256(key) + ".kernel";
}

bool ObjectCache::has_file(const std::string& key) const {
  struct stat status {};
  return !directory_.empty() && ::lstat(path(key).c_str(), &status) == 0;
}

// Code is loaded from here, so the directory must be ours alone.
bool ObjectCache::is_safe() const {
  struct stat status {};
  return !directory_.empty() && ::stat(directory_.c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) && only_ours(status);
}

std::optional<std::string> ObjectCache::load(const std::string& key) const {
  if (!is_safe()) return std::nullopt;
  // O_NONBLOCK: a FIFO would be waited for.
  const File file(::open(path(key).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !only_ours(status) || status.st_size > kMaxFile)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (n <= 0) return std::nullopt;
    done += static_cast<std::size_t>(n);
  }
  const std::string head = kMagic + sha256(key) + "\n";
  if (!bytes.starts_with(head) || bytes.size() < head.size() + 65) return std::nullopt;
  const std::string content = bytes.substr(head.size() + 65);
  if (bytes.compare(head.size(), 65, sha256(content) + "\n") != 0) return std::nullopt;
  return content;
}

void ObjectCache::store(const std::string& key, const std::string& content) const {
  if (directory_.empty()) return;
  std::error_code ignored;
  const std::filesystem::path directory(directory_);
  if (!std::filesystem::exists(directory, ignored)) {
    std::filesystem::create_directories(directory.parent_path(), ignored);
    ::mkdir(directory_.c_str(), 0700);
  }
  if (!is_safe()) return;
  static std::atomic<std::size_t> swept{0};  // the last directory: all of its files are looked at
  const std::size_t here = std::hash<std::string>()(directory_) | 1;
  if (swept.exchange(here) != here) sweep(directory_);
  std::string temporary = directory_ + "/" + kWriting + "XXXXXX";
  const File file(::mkstemp(temporary.data()));  // mode 0600
  if (!file.is_open()) return;
  // Not synced: load() hashes the content, so what a power cut leaves is made again, and waiting
  // for the disk would take longer than making most kernels.
  const bool written =
      write_all(file.get(), kMagic + sha256(key) + "\n" + sha256(content) + "\n" + content);
  if (!written || ::rename(temporary.c_str(), path(key).c_str()) != 0) ::unlink(temporary.c_str());
}

}  // namespace reprosum::kernels

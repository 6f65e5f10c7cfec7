#include "src/base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace reprosum::base {
namespace {

std::string kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "";
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

std::string system_message() { return std::generic_category().message(errno); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

FileText nothing(const std::string& why) { return {"", why}; }

}  // namespace

std::string irregular(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? kind_of(status.st_mode) : "";
}

std::string irregular_library(const std::string& name) {
  return name.find('/') == std::string::npos ? "" : irregular(name);
}

FileText read_file(const std::string& path, std::size_t largest) {
  // Not blocking: a FIFO opens without a writer, a terminal without its line.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return nothing(system_message());
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return nothing(system_message());
  if (const std::string kind = kind_of(status.st_mode); !kind.empty())
    return nothing("it is " + kind + ", not a regular file");
  if (status.st_size > static_cast<off_t>(largest)) return nothing("it is too large");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return nothing(system_message());
    if (got == 0) break;  // it was made shorter
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return {std::move(text), ""};
}

}  // namespace reprosum::base

#include "reveal/target/blas_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <cstring>

#include "reveal/target/blas_library.h"
#include "reveal/target/library_cores.h"
#include "reveal/target/matrix_server.h"

namespace reprosum::reveal {
namespace {

void leave_parents_files(int socket) {
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
  if (socket > 3) close_range(3, static_cast<unsigned>(socket) - 1, 0);
  close_range(static_cast<unsigned>(socket) + 1, ~0U, 0);
}

void exchange(std::byte* row, EditRecord& edit, std::int32_t element_bytes) {
  const auto size = static_cast<std::size_t>(element_bytes);
  std::uint64_t held = 0;
  std::memcpy(&held, row + edit.offset, size);
  std::memcpy(row + edit.offset, &edit.bits, size);
  edit.bits = held;
}

class Server {
 public:
  Server(const SharedMemory& memory, BlasControl& control, const BlasLibrary& library)
      : base_(memory.data()), control_(control), library_(library) {}

  void answer() const {
    const BlasRequest& request = control_.request;
    auto* output = reinterpret_cast<double*>(base_ + kOutputsOffset);
    for (std::int64_t row = 0; row < request.rows; ++row) {
      std::byte* x = base_ + request.x + row * request.x_row_bytes;
      std::byte* y = base_ + request.y + row * request.y_row_bytes;
      const BlasArguments arguments{request.n, x, request.incx, y, request.incy};
      std::byte* edits = base_ + kEditsOffset;
      for (std::int64_t probe = 0; probe < request.probes; ++probe) {
        ProbeHeader header;
        std::memcpy(&header, edits, sizeof header);
        auto* x_edits = reinterpret_cast<EditRecord*>(edits + sizeof header);
        EditRecord* y_edits = x_edits + header.x_edits;
        for (std::int64_t i = 0; i < header.x_edits; ++i) swap(x, x_edits[i]);
        for (std::int64_t i = 0; i < header.y_edits; ++i) swap(y, y_edits[i]);
        *output++ = library_.call(request.routine, arguments);
        control_.calls.fetch_add(1, std::memory_order_relaxed);
        for (std::int64_t i = header.y_edits; i-- > 0;) swap(y, y_edits[i]);
        for (std::int64_t i = header.x_edits; i-- > 0;) swap(x, x_edits[i]);
        edits = reinterpret_cast<std::byte*>(y_edits + header.y_edits);
      }
    }
  }

 private:
  void swap(std::byte* row, EditRecord& edit) const {
    exchange(row, edit, control_.request.element_bytes);
  }

  std::byte* base_;
  BlasControl& control_;
  const BlasLibrary& library_;
};

}  // namespace

void write_facts(const Facts& facts, std::byte* to) {
  std::string text;
  for (const auto& [key, value] : facts) text += key + '\0' + value + '\0';
  const std::size_t size = std::min(text.size(), kEditsBytes - sizeof(std::size_t));
  std::memcpy(to, &size, sizeof size);
  std::memcpy(to + sizeof size, text.data(), size);
}

Facts read_facts(const std::byte* from) {
  std::size_t size = 0;
  std::memcpy(&size, from, sizeof size);
  size = std::min(size, kEditsBytes - sizeof size);  // the child may be anything but well-behaved
  const std::string text(reinterpret_cast<const char*>(from + sizeof size), size);
  Facts facts;
  for (std::size_t at = 0; at < text.size();) {
    const std::string key = text.c_str() + at;
    at += key.size() + 1;
    if (at >= text.size()) break;
    const std::string value = text.c_str() + at;
    at += value.size() + 1;
    facts.emplace_back(key, value);
  }
  return facts;
}

void run_blas_child(const SharedMemory& memory, int socket, const std::string& library,
                    const TargetOptions& options) {
  leave_parents_files(socket);
  std::fesetenv(FE_DFL_ENV);  // the caller's rounding mode is no property of the library
  auto& control = *reinterpret_cast<BlasControl*>(memory.data() + kControlOffset);
  std::byte* text = memory.data() + kEditsOffset;
  try {
    const BlasLibrary blas(library);
    if (options.threads > 0) blas.set_threads(options.thread_setters, options.threads);
    write_facts(blas.describe(options.identity_symbols), text);
    control.start_up = StartUp::ready;
    const Server server(memory, control, blas);
    MatrixServer matrices(memory.data(), control, blas);
    serve(socket, [&] {
      switch (control.kind) {
        case RequestKind::none:
          return;
        case RequestKind::vectors:
          return server.answer();
        case RequestKind::matrix:
          return matrices.answer();
        case RequestKind::signatures:
          return matrices.answer_signatures();
        case RequestKind::cores:
          return keep_library_to(control.cores, blas);
      }
    });
  } catch (const TargetError& error) {
    write_facts({{"error", error.what()}}, text);
    control.start_up = StartUp::cannot_load;
    serve(socket, [] {});
  }
  _exit(0);
}

}  // namespace reprosum::reveal

#include "reveal/target/blas_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "reveal/target/blas_library.h"
#include "reveal/target/clblast_library.h"
#include "reveal/target/cublas_library.h"
#include "reveal/target/layout.h"
#include "reveal/target/matrix_server.h"

namespace reprosum::reveal {
namespace {

void leave_parents_files(int socket) {
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
  if (socket > 3) close_range(3, static_cast<unsigned>(socket) - 1, 0);
  close_range(static_cast<unsigned>(socket) + 1, ~0U, 0);
}

class Server {
 public:
  Server(const SharedMemory& memory, BlasControl& control, ProbedLibrary& library)
      : base_(memory.data()), control_(control), library_(library) {}

  void answer() const {
    const BlasRequest& request = control_.request;
    auto* output = reinterpret_cast<double*>(base_ + kOutputsOffset);
    for (std::int64_t row = 0; row < request.rows; ++row) {
      std::byte* x = base_ + request.x + row * request.x_row_bytes;
      std::byte* y = base_ + request.y + row * request.y_row_bytes;
      const BlasArguments arguments{request.n, x, request.incx, y, request.incy, request.is_cblas};
      hold(0, x, request.incx);
      if (kRoutines[static_cast<std::size_t>(request.routine)].first == spec::Routine::dot)
        hold(1, y, request.incy);
      std::byte* edits = base_ + kEditsOffset;
      for (std::int64_t probe = 0; probe < request.probes; ++probe) {
        ProbeHeader header;
        std::memcpy(&header, edits, sizeof header);
        auto* const x_edits = reinterpret_cast<EditRecord*>(edits + sizeof header);
        EditRecord* const y_edits = x_edits + header.x_edits;
        const Applied in_x(*this, x, {x_edits, y_edits});
        const Applied in_y(*this, y, {y_edits, static_cast<std::size_t>(header.y_edits)});
        library_.call(request.routine, arguments, output++);
        control_.calls.fetch_add(1, std::memory_order_relaxed);
        edits = reinterpret_cast<std::byte*>(y_edits + header.y_edits);
      }
    }
    library_.finish();
  }

 private:
  // Edits that are in place as long as this lives, whatever the call does.
  class Applied {
   public:
    Applied(const Server& server, std::byte* row, std::span<EditRecord> edits)
        : server_(server), row_(row), edits_(edits) {
      for (EditRecord& edit : edits_) server_.exchange(row_, edit);
    }
    ~Applied() {
      for (std::size_t i = edits_.size(); i-- > 0;) server_.exchange(row_, edits_[i]);
    }
    Applied(const Applied&) = delete;
    Applied& operator=(const Applied&) = delete;

   private:
    const Server& server_;
    std::byte* const row_;
    const std::span<EditRecord> edits_;
  };

  void hold(int operand, const std::byte* first, std::int64_t increment) const {
    const BlasRequest& request = control_.request;
    const VectorLayout layout{std::max<std::int64_t>(request.n, 0), increment};
    const std::int64_t elements = layout.span() + kGuardElements;
    library_.hold(operand, first, static_cast<std::size_t>(elements * request.element_bytes),
                  request.is_new || request.rows > 1);
  }

  void exchange(std::byte* row, EditRecord& edit) const {
    const auto size = static_cast<std::size_t>(control_.request.element_bytes);
    std::uint64_t held = 0;
    std::memcpy(&held, row + edit.offset, size);
    std::memcpy(row + edit.offset, &edit.bits, size);
    edit.bits = held;
    library_.changed(row + edit.offset, size);
  }

  std::byte* base_;
  BlasControl& control_;
  ProbedLibrary& library_;
};

std::unique_ptr<ProbedLibrary> load(const std::string& kind, const std::string& name,
                                    const TargetOptions& options) {
  if (kind == kClblast) return load_clblast(name);
  if (kind == kCublas) return load_cublas(name);
  auto blas = std::make_unique<BlasLibrary>(name, options.identity_symbols);
  if (options.threads > 0) blas->set_threads(options.thread_setters, options.threads);
  return blas;
}

void tell(const TargetError& error, BlasControl& control) {
  const auto put = [](const std::string& text, std::span<char> to) {
    const std::size_t size = std::min(text.size(), to.size() - 1);
    std::copy_n(text.begin(), size, to.begin());
    to[size] = '\0';
  };
  put(error.reason, control.failure_reason);
  put(error.what(), control.failure);
  control.has_failed = true;
}

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

void run_blas_child(const SharedMemory& memory, int socket, const std::string& kind,
                    const std::string& library, const TargetOptions& options) {
  leave_parents_files(socket);
  std::fesetenv(FE_DFL_ENV);  // the caller's rounding mode is no property of the library
  auto& control = *reinterpret_cast<BlasControl*>(memory.data() + kControlOffset);
  std::byte* text = memory.data() + kEditsOffset;
  try {
    const std::unique_ptr<ProbedLibrary> loaded = load(kind, library, options);
    write_facts(loaded->describe(), text);
    control.start_up = StartUp::ready;
    const Server server(memory, control, *loaded);
    MatrixServer matrices(memory.data(), control, *loaded);
    const auto answer = [&] {
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
          return loaded->keep_to(control.cores);
      }
    };
    serve(socket, [&] {
      control.has_failed = false;
      try {
        answer();
      } catch (const TargetError& error) {
        tell(error, control);
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

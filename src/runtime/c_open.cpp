// The C API: handles, messages, versions.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/chain/chain.h"
#include "kernels/compile_thread.h"
#include "spec/surface.h"
#include "src/base/environment.h"
#include "src/base/read_file.h"
#include "src/runtime/border.h"
#include "src/runtime/cache_directory.h"

namespace reprosum::runtime {
namespace {

// Larger than any spec that a capture writes; keeps a wrong path from filling the memory.
constexpr std::size_t kLargestSpec = std::size_t{1} << 28;

std::string read_file(const std::string& path) {
  base::FileText file = base::read_file(path, kLargestSpec);
  if (!file.why.empty()) throw EnvironmentError("cannot read " + path + ": " + file.why);
  return std::move(file.text);
}

std::optional<kernels::Isa> isa_of_environment() {
  const char* text = base::variable("REPROSUM_ISA");
  if (text == nullptr || text[0] == '\0') return std::nullopt;
  try {
    return known_isa(text);
  } catch (const BadArgument& error) {
    // Not an argument of the call that fails.
    throw EnvironmentError(std::string("REPROSUM_ISA: ") + error.what());
  }
}

void choose(reprosum_handle& handle, kernels::Isa isa) {
  try {
    handle.choose(isa);
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(std::string("REPROSUM_ISA: ") + error.what());
  }
}

template <class Read>
reprosum_status open(reprosum_handle** handle, Read&& read) noexcept {
  try {
    require(handle, "the place for the handle");
    const std::optional<kernels::Isa> isa = isa_of_environment();
    static_cast<void>(kernels::chain::is_wanted());  // refused here, not where a kernel is made
    const std::string text = read();
    std::unique_ptr<Replayer> replayer;
    const auto make = [&] {
      replayer = std::make_unique<Replayer>(spec::from_json(text), cache_directory());
    };
    // A document may be deep, and the caller's stack small.
    if (kernels::on_compile_thread(make) != kernels::JobEnd::done) make();
    auto made = std::make_unique<reprosum_handle>(std::move(replayer));
    if (isa) choose(*made, *isa);
    *handle = made.release();
    return REPROSUM_OK;
  } catch (...) {
    return status_of_current_exception(nullptr, REPROSUM_BAD_SPEC);
  }
}

}  // namespace
}  // namespace reprosum::runtime

using namespace reprosum::runtime;

extern "C" {

const char* reprosum_version(void) { return REPROSUM_VERSION_STRING; }

const char* reprosum_status_string(reprosum_status status) {
  switch (status) {
    case REPROSUM_OK:
      return "ok";
    case REPROSUM_BAD_ARGUMENT:
      return "bad_argument";
    case REPROSUM_NOT_COVERED:
      return "not_covered";
    case REPROSUM_BAD_SPEC:
      return "bad_spec";
    case REPROSUM_ENVIRONMENT:
      return "environment";
    case REPROSUM_INTERNAL:
      return "internal";
    case REPROSUM_CANCELLED:
      return "cancelled";
  }
  return "unknown_status";
}

reprosum_status reprosum_open_file(const char* path, reprosum_handle** handle) {
  return open(handle, [&] {
    require(path, "path");
    return read_file(path);
  });
}

reprosum_status reprosum_open_memory(const void* text, size_t size, reprosum_handle** handle) {
  return open(handle, [&] {
    require(text, "text");
    if (size > kLargestSpec) throw reprosum::UserError("the text is too large to be a spec");
    return std::string(static_cast<const char*>(text), size);
  });
}

void reprosum_close(reprosum_handle* handle) { delete handle; }

const char* reprosum_last_error(const reprosum_handle* handle) { return kept_message(handle); }

}  // extern "C"

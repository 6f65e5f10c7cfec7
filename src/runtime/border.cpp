#include "src/runtime/border.h"

#include "src/base/thread_object.h"
#include "src/runtime/status.h"

namespace reprosum::runtime {
namespace {

std::string& message_of_this_thread() {
  struct Message {
    std::string text;
  };
  return base::of_this_thread<Message>().text;
}

}  // namespace

void keep_message(const reprosum_handle* handle, std::string_view text) noexcept {
  if (handle != nullptr) return handle->messages.set(text);
  try {
    message_of_this_thread() = text;
  } catch (...) {
    // No memory for a message: the status has to do.
  }
}

void refuse_null(const char* name) { throw BadArgument(std::string(name) + " is null"); }

const char* kept_message(const reprosum_handle* handle) noexcept {
  return handle != nullptr ? handle->messages.of_this_thread() : message_of_this_thread().c_str();
}

reprosum_status status_of_current_exception(const reprosum_handle* handle,
                                            reprosum_status user_error) noexcept {
  return status_of_exception([&](std::string_view text) { keep_message(handle, text); },
                             user_error);
}

reprosum_status status_of_current_exception(Messages& messages,
                                            reprosum_status user_error) noexcept {
  return status_of_exception([&](std::string_view text) { messages.set(text); }, user_error);
}

}  // namespace reprosum::runtime

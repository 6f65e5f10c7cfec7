// The border between C++ and C: nothing thrown passes it, and a failure leaves its words behind.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "src/runtime/errors.h"
#include "src/runtime/handle.h"

namespace reprosum::runtime {

// Keeps the message for reprosum_last_error: with the handle, or, if it is null, with the thread.
void keep_message(const reprosum_handle* handle, std::string_view text) noexcept;
const char* kept_message(const reprosum_handle* handle) noexcept;

// The status of the exception in flight, whose message is kept. `user_error` is what a plain
// UserError means here: a bad spec while one is opened, an uncovered call later.
reprosum_status status_of_current_exception(const reprosum_handle* handle,
                                            reprosum_status user_error) noexcept;

// The same with the message kept there.
reprosum_status status_of_current_exception(Messages& messages,
                                            reprosum_status user_error) noexcept;

// Runs body() with nothing thrown out of it. A null handle is a bad argument.
template <class Body>
reprosum_status with_handle(const reprosum_handle* handle, Body&& body) noexcept {
  if (handle == nullptr) {
    keep_message(nullptr, "the handle is null");
    return REPROSUM_BAD_ARGUMENT;
  }
  try {
    body(*handle->replayer);
    return REPROSUM_OK;
  } catch (...) {
    return status_of_current_exception(handle, REPROSUM_NOT_COVERED);
  }
}

[[noreturn]] void refuse_null(const char* name);

// Throws BadArgument naming the pointer.
inline void require(const void* pointer, const char* name) {
  if (pointer == nullptr) [[unlikely]]
    refuse_null(name);
}

}  // namespace reprosum::runtime

#include "src/runtime/border.h"

#include <stdexcept>

#include "src/base/thread_object.h"

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

namespace {

template <class Keep>
reprosum_status status_of_exception(Keep&& keep, reprosum_status user_error) noexcept {
  try {
    throw;
  } catch (const BadArgument& error) {
    keep(error.what());
    return REPROSUM_BAD_ARGUMENT;
  } catch (const NotCovered& error) {
    keep(error.what());
    return REPROSUM_NOT_COVERED;
  } catch (const UserError& error) {
    keep(error.what());
    return user_error;
  } catch (const EnvironmentError& error) {
    keep(error.what());
    return REPROSUM_ENVIRONMENT;
  } catch (const std::bad_alloc&) {
    keep("not enough memory");
    return REPROSUM_ENVIRONMENT;
  } catch (const std::length_error&) {  // of a container that no memory holds
    keep("not enough memory");
    return REPROSUM_ENVIRONMENT;
  } catch (const std::exception& error) {
    keep(error.what());
  } catch (...) {
    keep("an exception of an unknown kind");
  }
  return REPROSUM_INTERNAL;
}

}  // namespace

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

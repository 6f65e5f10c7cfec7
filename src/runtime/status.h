// Which status an exception is, for every C API of the project.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>

#include "reprosum/reprosum.h"
#include "src/runtime/errors.h"

namespace reprosum::runtime {

// The status for the exception in flight. keep(text) keeps its message; `user_error` is what a
// plain UserError means here.
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

}  // namespace reprosum::runtime

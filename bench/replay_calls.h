// The C API as a replay uses it: a handle that closes itself, and one call by routine and type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "reprosum/reprosum.h"
#include "reveal/target.h"
#include "spec/error.h"

namespace reprosum::bench {

struct CloseHandle {
  void operator()(reprosum_handle* handle) const { reprosum_close(handle); }
};
using Handle = std::unique_ptr<reprosum_handle, CloseHandle>;

inline void require_ok(reprosum_status status, const reprosum_handle* handle) {
  if (status != REPROSUM_OK) throw UserError(reprosum_last_error(handle));
}

// isa: nullptr for the best of the host, or what REPROSUM_ISA asks for.
inline Handle open_spec(const std::string& path, const char* isa) {
  reprosum_handle* handle = nullptr;
  require_ok(reprosum_open_file(path.c_str(), &handle), nullptr);
  Handle owned(handle);
  if (isa != nullptr) require_ok(reprosum_set_isa(handle, isa), handle);
  return owned;
}

// call.align_* are ignored: the addresses are those of x and y.
inline double replay_call(const Handle& handle, const reveal::Call& call, const std::byte* x,
                          const std::byte* y) {
  const bool dot = call.routine == spec::Routine::dot;
  reprosum_handle* const h = handle.get();
  if (spec::is_f32(call.type)) {
    const auto *fx = reinterpret_cast<const float*>(x), *fy = reinterpret_cast<const float*>(y);
    float out = 0;
    require_ok(dot ? reprosum_sdot(h, call.k, fx, call.incx, fy, call.incy, &out)
                   : reprosum_ssum(h, call.k, fx, call.incx, &out),
               h);
    return static_cast<double>(out);
  }
  const auto *dx = reinterpret_cast<const double*>(x), *dy = reinterpret_cast<const double*>(y);
  double out = 0;
  require_ok(dot ? reprosum_ddot(h, call.k, dx, call.incx, dy, call.incy, &out)
                 : reprosum_dsum(h, call.k, dx, call.incx, &out),
             h);
  return out;
}

}  // namespace reprosum::bench

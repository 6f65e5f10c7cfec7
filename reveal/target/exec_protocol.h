// The binary protocol of exec: targets; README.md is its description for script writers.
// Everything is little-endian, as are the hosts that this project supports.
#pragma once

#include <bit>
#include <cstdint>

namespace reprosum::reveal {

static_assert(std::endian::native == std::endian::little);

inline constexpr char kHelloMagic[8] = {'R', 'E', 'P', 'R', 'O', 'S', 'U', 'M'};
inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::uint32_t kTakesIncrements = 1;  // bit of ExecHello::flags
inline constexpr std::uint32_t kMaxRoutines = 64;
inline constexpr std::uint32_t kMaxText = 1U << 16;

// Followed by `routines` pairs (u32 routine, u32 type) and `text_bytes` bytes of "key=value\n"
// lines.
struct ExecHello {
  char magic[8];
  std::uint32_t version, flags, routines, text_bytes;
};
static_assert(sizeof(ExecHello) == 24);

// Followed by rows * x_stride elements of x and, for dot, rows * y_stride elements of y.
struct ExecRequest {
  std::uint32_t routine;  // 0 sum, 1 dot
  std::uint32_t type;     // 0 f32, 1 f64
  std::int64_t n, incx, incy, rows;
  std::int64_t x_stride, y_stride;  // elements from row to row; a row is a multiple of 64 bytes
};
static_assert(sizeof(ExecRequest) == 56);

// Followed by `count` values of the request's type, or by `count` bytes of text if status is not 0.
struct ExecReply {
  char magic[4];
  std::uint32_t status;
  std::int64_t count;
};
static_assert(sizeof(ExecReply) == 16);
inline constexpr char kReplyMagic[4] = {'R', 'P', 'L', 'Y'};

}  // namespace reprosum::reveal

// A matrix unit's tiles as Intel's manual defines them (AMX-TILE, AMX-INT8), in portable code: what
// the unit of this machine must do, and what tests run the product's loops on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace reprosum::exact {

// What LDTILECFG loads.
struct alignas(64) TileConfig {
  std::uint8_t palette, start_row, reserved[14];
  std::uint16_t row_bytes[16];
  std::uint8_t rows[16];
};
static_assert(sizeof(TileConfig) == 64);

// All eight tiles of 16 rows of 64 bytes.
inline TileConfig whole_tiles() {
  TileConfig config{};
  config.palette = 1;
  for (int t = 0; t < 8; ++t) {
    config.row_bytes[t] = 64;
    config.rows[t] = 16;
  }
  return config;
}

// The units have the same members: tiles are template arguments, as the instructions name them.
class EmulatedTiles {
 public:
  void configure(const TileConfig& config) {
    config_ = config;
    std::memset(tiles_, 0, sizeof tiles_);
  }
  void release() { configure(TileConfig{}); }

  template <int kTile>
  void zero() {
    std::memset(tiles_[kTile], 0, sizeof tiles_[kTile]);
  }
  // TILELOADD: rows `stride` bytes apart; what is beyond the configured size becomes zero.
  template <int kTile>
  void load(const void* from, std::int64_t stride) {
    zero<kTile>();
    for (std::int64_t r = 0; r < config_.rows[kTile]; ++r)
      std::memcpy(tiles_[kTile][r], static_cast<const std::uint8_t*>(from) + r * stride,
                  config_.row_bytes[kTile]);
  }
  // TILELOADDT1: the same, of what is not read again soon.
  template <int kTile>
  void load_once(const void* from, std::int64_t stride) {
    load<kTile>(from, stride);
  }
  // TILESTORED.
  template <int kTile>
  void store(void* to, std::int64_t stride) {
    for (std::int64_t r = 0; r < config_.rows[kTile]; ++r)
      std::memcpy(static_cast<std::uint8_t*>(to) + r * stride, tiles_[kTile][r],
                  config_.row_bytes[kTile]);
  }
  // TDPBUSD: to each 32-bit number of kSum four products of kA's unsigned and kB's signed bytes
  // for each four bytes of kA's rows; additions wrap.
  template <int kSum, int kA, int kB>
  void multiply() {
    for (int m = 0; m < config_.rows[kSum]; ++m) {
      for (int k = 0; k < config_.row_bytes[kA] / 4; ++k) {
        for (int n = 0; n < config_.row_bytes[kSum] / 4; ++n) {
          std::uint32_t sum;
          std::memcpy(&sum, &tiles_[kSum][m][4 * n], 4);
          for (int i = 0; i < 4; ++i)
            sum += static_cast<std::uint32_t>(tiles_[kA][m][4 * k + i] *
                                              static_cast<std::int8_t>(tiles_[kB][k][4 * n + i]));
          std::memcpy(&tiles_[kSum][m][4 * n], &sum, 4);
        }
      }
    }
  }

 private:
  TileConfig config_{};
  std::uint8_t tiles_[8][16][64] = {};
};

}  // namespace reprosum::exact

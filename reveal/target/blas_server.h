// What the parent and the probed child of a library's target say to each other through shared
// memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target.h"
#include "reveal/target/channel.h"
#include "reveal/target/core_set.h"

namespace reprosum::reveal {

// All offsets are bytes into the shared memory. A row of zero bytes means that all rows share one.
struct BlasRequest {
  std::int32_t routine = 0;  // routine_index()
  std::int32_t element_bytes = 8;
  std::int32_t n = 0, incx = 1, incy = 1;
  std::int64_t rows = 0, probes = 0;
  std::int64_t x = 0, x_row_bytes = 0;
  std::int64_t y = 0, y_row_bytes = 0;
  bool is_cblas = false;
  bool is_new = true;  // false: the vectors are those of the last request
};

// Start-up: what the child found, or why it could not go on.
enum class StartUp : std::uint32_t { ready, cannot_load };

// A MatrixBatch, or a part of its probes. The values part holds a, b and c one after another, the
// edits part the probes: for each a count and that many MatrixEditRecords; the wanted part the
// outputs that are asked for. The child puts the operands into memory of its own. Several requests
// that are answered together share these parts.
struct MatrixRequest {
  Call call;
  std::int32_t routine = 0;  // routine_index()
  double alpha = 1, beta = 0;
  bool place = true;  // false: the operands are there already
  std::int64_t a_values = 0, b_values = 0, c_values = 0;
  std::int64_t probes = 0;
  bool all_outputs = true;
  std::int64_t outputs = 0;  // per probe
  // Where it begins in the values, edits, wanted and results parts, in bytes.
  std::size_t values_at = 0, edits_at = 0, wanted_at = 0, results_at = 0;
};
inline constexpr std::size_t kMatricesAtOnce = 64;
struct MatrixEditRecord {
  MatrixEdit::Operand operand{};
  std::int64_t row = 0, column = 0;
  double value = 0;
};
struct WantedOutput {
  std::int64_t row = 0, column = 0;
};

// signatures(): the values part holds for each probe alpha, beta, c, k values of a and k of b.
struct SignatureRequest {
  Call call;
  std::int32_t routine = 0;
  std::int64_t probes = 0;
};

enum class RequestKind : std::uint32_t { none, vectors, matrix, signatures, cores };

struct BlasControl {
  std::atomic<std::int64_t> calls{0};  // completed by this child; readable after its death
  StartUp start_up = StartUp::ready;
  RequestKind kind = RequestKind::none;  // none: only whether start-up is over
  BlasRequest request;
  std::array<MatrixRequest, kMatricesAtOnce> matrices;
  std::size_t matrix_count = 0;
  std::atomic<std::size_t> matrix_at{0};  // the one being answered; readable after its death
  SignatureRequest signatures;
  CoreSet cores;
  // The TargetError that the library's call threw in the last answer, its texts cut to what fits.
  bool has_failed = false;
  std::array<char, 64> failure_reason{};
  std::array<char, 1024> failure{};
};

// One edit as the child applies it: the element at `offset` and `bits` change places, so that doing
// it again in reverse order restores the base vectors.
struct EditRecord {
  std::int64_t offset = 0;  // bytes from the row's first element
  std::uint64_t bits = 0;
};
struct ProbeHeader {  // followed by x_edits + y_edits records
  std::int64_t x_edits = 0, y_edits = 0;
};

// The parts of the shared memory. Nearly all of it is never touched.
inline constexpr std::size_t kControlOffset = 0;
inline constexpr std::size_t kOutputsOffset = std::size_t{64} << 10;
inline constexpr std::size_t kOutputsCapacity = std::size_t{1} << 20;  // doubles
inline constexpr std::size_t kEditsOffset = std::size_t{16} << 20;
inline constexpr std::size_t kVectorsBytes = std::size_t{4} << 30;
inline constexpr std::size_t kXOffset = std::size_t{1} << 30;
inline constexpr std::size_t kYOffset = kXOffset + kVectorsBytes;
inline constexpr std::size_t kValuesOffset = kYOffset + kVectorsBytes;
inline constexpr std::size_t kValuesBytes = std::size_t{2} << 30;
inline constexpr std::size_t kResultsOffset = kValuesOffset + kValuesBytes;  // of matrix requests
inline constexpr std::size_t kResultsBytes = std::size_t{1} << 30;
inline constexpr std::size_t kWantedOffset = kResultsOffset + kResultsBytes;
inline constexpr std::size_t kWantedBytes = std::size_t{1} << 30;
inline constexpr std::size_t kSharedBytes = kWantedOffset + kWantedBytes;
// All operands of one matrix request, in the child's memory.
inline constexpr std::size_t kOperandsBytes = std::size_t{4} << 30;
inline constexpr std::size_t kEditsBytes = kXOffset - kEditsOffset;
static_assert(sizeof(BlasControl) <= kOutputsOffset - kControlOffset);
static_assert(kOutputsOffset + kOutputsCapacity * sizeof(double) <= kEditsOffset);

// What is loaded into the child; the word before the colon of a target's name.
inline constexpr const char* kBlas = "blas";
inline constexpr const char* kClblast = "clblast";
inline constexpr const char* kCublas = "cublas";

using Facts = std::vector<std::pair<std::string, std::string>>;

// Facts as text in the edits part, which is free during start-up.
void write_facts(const Facts& facts, std::byte* to);
Facts read_facts(const std::byte* from);

// The child's whole life; never returns. The library's standard streams are /dev/null and every
// other descriptor that it inherited is closed.
[[noreturn]] void run_blas_child(const SharedMemory& memory, int socket, const std::string& kind,
                                 const std::string& library, const TargetOptions& options);

}  // namespace reprosum::reveal

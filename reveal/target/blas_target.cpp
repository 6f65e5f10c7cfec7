#include "reveal/target/blas_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "reveal/target/blas_connection.h"
#include "reveal/target/file_hash.h"
#include "reveal/target/layout.h"
#include "reveal/target/matrix_caller.h"
#include "reveal/target/matrix_layout.h"
#include "reveal/target/probed_library.h"

namespace reprosum::reveal {
namespace {

// Rows are sent together up to about this much memory per vector: what fits a second-level cache
// twice is not worth a larger footprint, and a round trip costs little against it.
constexpr std::int64_t kRowsBytes = std::int64_t{8} << 20;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// One of the two operands: its part of the shared memory and where rows lie in it.
struct Operand {
  std::size_t part = 0;  // offset of its part of the shared memory
  VectorLayout layout;
  std::int64_t lead = 0;  // from a row's beginning to its first element
  std::int64_t row_bytes = 0;

  bool operator==(const Operand&) const = default;

  void set(const VectorLayout& new_layout, int align, int modulus, std::int64_t element) {
    layout = new_layout;
    // Both guards and the shift that makes the address congruent to `align`.
    lead = round_up(kGuardElements * element, modulus) + align;
    row_bytes = round_up(lead + (layout.span() + kGuardElements) * element, modulus);
  }
  // Makes room for another one like this so many bytes behind it, or before it.
  void make_room(std::int64_t bytes, std::int64_t modulus) {
    const std::int64_t room = round_up(std::abs(bytes), modulus);
    if (bytes < 0) lead += room;
    row_bytes += room;
  }
  std::int64_t first() const { return static_cast<std::int64_t>(part) + lead; }
};

class BlasTarget final : public Target {
 public:
  BlasTarget(const std::string& kind, const std::string& library, const TargetOptions& options)
      : connection_(kind, library, options),
        library_(library.empty() ? kind : library),
        matrices_(connection_) {
    for (std::size_t i = 0; i < kRoutines.size(); ++i) {
      const std::string name = spec::blas_name(kRoutines[i].first, kRoutines[i].second);
      has_[i] = connection_.has_fact("symbol." + name);
      has_both_[i] = connection_.has_fact(kOtherFace + name);
    }
    if (std::none_of(has_.begin(), has_.end(), [](bool has) { return has; })) {
      throw TargetError("missing_symbol",
                        library_ + " has no sum, dot, gemv or gemm as a BLAS symbol");
    }
  }

  std::vector<double> run(const Batch& batch) override;

  std::vector<double> run_matrix(const MatrixBatch& batch) override {
    check(batch);
    require(batch.call.routine, batch.call.type);
    return matrices_.run(batch);
  }

  std::vector<std::vector<double>> run_matrices(std::span<const MatrixBatch> batches) override {
    for (const MatrixBatch& batch : batches) {
      check(batch);
      require(batch.call.routine, batch.call.type);
    }
    return matrices_.run_all(batches);
  }

  std::vector<std::uint64_t> signatures(const Call& call,
                                        std::span<const UniformProbe> probes) override {
    check(call, probes);
    require(call.routine, call.type);
    return matrices_.signatures(call, probes);
  }

  bool has(spec::Routine routine, spec::Type type) override {
    return spec::is_native(type) && has_[static_cast<std::size_t>(routine_index(routine, type))];
  }

  bool has_both_faces(spec::Routine routine, spec::Type type) override {
    return has(routine, type) && has_both_[static_cast<std::size_t>(routine_index(routine, type))];
  }
  bool has_conjugate() override { return connection_.kind() == kBlas; }

  Facts identity() override {
    Facts all{{"target", connection_.kind() + ":" + connection_.library()}};
    for (const auto& [key, value] : connection_.facts()) {
      all.emplace_back(key, value);
      const std::size_t dot = key.rfind(".path");
      if (dot != std::string::npos && dot + 5 == key.size()) {
        all.emplace_back(key.substr(0, dot) + ".sha256", hash_of(value));
      }
    }
    for (const std::string& setting : connection_.options().environment) {
      const std::size_t equals = setting.find('=');
      all.emplace_back("environment." + setting.substr(0, equals), setting.substr(equals + 1));
    }
    return all;
  }

  void keep_to(const CoreSet& cores) override { connection_.keep_to(cores); }

  std::int64_t calls() const override { return connection_.calls(); }

 private:
  // Throws TargetError missing_symbol.
  void require(spec::Routine routine, spec::Type type) {
    if (has(routine, type)) return;
    const std::string name = spec::blas_name(routine, type);
    throw TargetError("missing_symbol", fmt::format("{} has no {}", library_, name));
  }
  void place_rows(const Batch& batch, std::int64_t from, std::int64_t rows);
  std::int64_t encode_probes(const Batch& batch, std::int64_t from, std::int64_t at_most);
  const std::string& hash_of(const std::string& path);

  // What the vectors part holds, so that an unchanged base is not written again.
  struct Placed {
    Call call;
    std::uint64_t base_id = 0;
    std::int64_t rows = 0;
    bool y_is_ones = false;
    bool operator==(const Placed&) const = default;
  };

  BlasConnection connection_;
  std::string library_;
  MatrixCaller matrices_;
  std::array<bool, kRoutines.size()> has_{}, has_both_{};
  std::uint64_t life_ = 0;  // of the child that the vectors were written for
  Operand x_, y_;
  std::int64_t y_in_x_ = 0;  // bytes from x to a y that lies in its memory
  std::optional<Placed> placed_;
  std::optional<std::pair<Operand, spec::Type>> ones_;  // the vector of ones that y's part holds
  std::size_t x_touched_ = 0, y_touched_ = 0;
  std::vector<std::pair<std::string, std::string>> hashes_;  // by path
};

const std::string& BlasTarget::hash_of(const std::string& path) {
  for (const auto& [known, hash] : hashes_) {
    if (known == path) return hash;
  }
  return hashes_.emplace_back(path, sha256_of_file(path)).second;
}

void BlasTarget::place_rows(const Batch& batch, std::int64_t from, std::int64_t rows) {
  const Call& call = batch.call;
  const bool dot = call.routine == spec::Routine::dot;
  const bool ones = batch.y.empty();
  const std::int64_t summands = std::max<std::int64_t>(call.k, 0);
  const bool in_first_part = x_.part == kXOffset;
  std::size_t& x_touched = in_first_part ? x_touched_ : y_touched_;
  std::size_t& y_touched = in_first_part ? y_touched_ : x_touched_;
  if (!in_first_part) ones_.reset();
  connection_.forget_unused(x_.part, x_touched, static_cast<std::size_t>(rows * x_.row_bytes));
  const auto values = [&](std::span<const double> all, std::int64_t row) {
    return all.subspan(static_cast<std::size_t>((from + row) * summands),
                       static_cast<std::size_t>(summands));
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    std::byte* const first = connection_.data() + x_.first() + row * x_.row_bytes;
    if (call.place.shift)
      place_both(call.type, x_.layout, values(batch.x, row), first, values(batch.y, row),
                 first + y_in_x_);
    else
      place_guarded(call.type, x_.layout, values(batch.x, row), first);
  }
  if (!dot || call.place.shift) return;
  if (ones) {
    if (ones_ == std::pair{y_, call.type}) return;
    connection_.forget_unused(y_.part, y_touched, static_cast<std::size_t>(y_.row_bytes));
    place_guarded(call.type, y_.layout, {}, connection_.data() + y_.first());
    ones_ = {y_, call.type};
    return;
  }
  ones_.reset();
  connection_.forget_unused(y_.part, y_touched, static_cast<std::size_t>(rows * y_.row_bytes));
  for (std::int64_t row = 0; row < rows; ++row) {
    place_guarded(call.type, y_.layout, values(batch.y, row),
                  connection_.data() + y_.first() + row * y_.row_bytes);
  }
}

// Writes probes [from, from + result) of the batch; without probes, one that changes nothing.
std::int64_t BlasTarget::encode_probes(const Batch& batch, std::int64_t from,
                                       std::int64_t at_most) {
  const spec::Type type = batch.call.type;
  const std::int64_t element = element_size(type);
  std::byte* const begin = connection_.data() + kEditsOffset;
  std::byte* to = begin;
  const auto put = [&](const auto& value) {
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  };
  const auto put_edits = [&](const std::vector<Edit>& edits, const VectorLayout& layout) {
    std::int64_t written = 0;
    for (const Edit& edit : edits) {
      if (layout.increment == 0 && edit.index != 0) continue;  // x[0] is the only summand's place
      put(EditRecord{layout.position(edit.index) * element, bits_of(type, edit.value)});
      ++written;
    }
    return written;
  };
  if (batch.probes.empty()) {
    put(ProbeHeader{});
    return 1;
  }
  std::int64_t count = 0;
  while (count < at_most && from + count < static_cast<std::int64_t>(batch.probes.size())) {
    const Probe& probe = batch.probes[static_cast<std::size_t>(from + count)];
    const std::size_t most =
        sizeof(ProbeHeader) + (probe.x.size() + probe.y.size()) * sizeof(EditRecord);
    if (static_cast<std::size_t>(to - begin) + most > kEditsBytes) break;
    std::byte* const header = to;
    to += sizeof(ProbeHeader);
    ProbeHeader counts;
    counts.x_edits = put_edits(probe.x, x_.layout);
    if (batch.call.routine == spec::Routine::dot) {
      counts.y_edits = put_edits(probe.y, y_.layout);
    }
    std::memcpy(header, &counts, sizeof counts);
    ++count;
  }
  if (count == 0) throw InternalError("the edits of one probe do not fit the shared memory");
  return count;
}

std::vector<double> BlasTarget::run(const Batch& batch) {
  check(batch);
  const Call& call = batch.call;
  const std::string name = spec::blas_name(call.routine, call.type);
  require(call.routine, call.type);
  if (((call.align_a | call.align_b) != 0 || call.place != Place{}) &&
      connection_.has_fact(kAddresses))
    throw TargetError("declined", "operands begin where the device's memory does");
  if (call.cblas && !has_both_faces(call.routine, call.type))
    throw TargetError("declined", fmt::format("{} has one face of {}", library_, name));
  const std::int64_t element = element_size(call.type);
  const bool dot = call.routine == spec::Routine::dot;
  constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();
  const auto as_int = [&](std::int64_t value) {
    if (value < -kIntMax || value > kIntMax) {
      throw TargetError("declined",
                        fmt::format("{} does not fit {}'s 32-bit integers", value, name));
    }
    return static_cast<int>(value);
  };
  BlasRequest request;
  request.routine = routine_index(call.routine, call.type);
  request.element_bytes = static_cast<std::int32_t>(element);
  request.n = as_int(call.k);
  request.incx = as_int(call.incx);
  request.incy = dot ? as_int(call.incy) : 1;
  const std::int64_t summands = std::max<std::int64_t>(call.k, 0);
  request.is_cblas = call.cblas;
  const Place& place = call.place;
  x_.part = place.is_reversed ? kYOffset : kXOffset;
  y_.part = place.is_reversed ? kXOffset : kYOffset;
  x_.set({summands, call.incx}, call.align_a, place.modulus, element);
  y_.set({dot ? summands : 0, dot ? call.incy : 1}, call.align_b, place.modulus, element);
  if (place.shift) {
    y_in_x_ = *place.shift * call.incx * element;
    x_.make_room(y_in_x_, place.modulus);
  }
  const std::int64_t row_bytes = std::max(x_.row_bytes, y_.row_bytes);
  if (row_bytes > static_cast<std::int64_t>(kVectorsBytes)) {
    throw TargetError("declined", fmt::format("a vector of {} bytes is too long", row_bytes));
  }

  if (const std::uint64_t life = connection_.ready(); life != life_) {
    // The last child may have died with edits in place.
    placed_.reset();
    ones_.reset();
    life_ = life;
  }
  const auto deadline = connection_.deadline();
  const auto during = [&] {
    return fmt::format("ran {} with n={} incx={} incy={}", name, call.k, call.incx, request.incy);
  };
  request.x = x_.first();
  request.x_row_bytes = x_.row_bytes;
  request.y = place.shift ? x_.first() + y_in_x_ : y_.first();
  request.y_row_bytes = place.shift ? x_.row_bytes : batch.y.empty() ? 0 : y_.row_bytes;

  const auto probes = std::max<std::int64_t>(1, static_cast<std::int64_t>(batch.probes.size()));
  const std::int64_t rows_at_once =
      std::clamp<std::int64_t>(kRowsBytes / row_bytes, 1, std::min<std::int64_t>(batch.rows, 1024));
  const auto probes_at_once = static_cast<std::int64_t>(kOutputsCapacity) / rows_at_once;
  const Placed wanted{call, batch.base_id, batch.rows, batch.y.empty()};
  const bool keepable = batch.base_id != 0 && rows_at_once == batch.rows;
  const bool kept = keepable && placed_ == wanted;
  std::vector<double> outputs(static_cast<std::size_t>(batch.rows * probes));
  for (std::int64_t row = 0; row < batch.rows; row += rows_at_once) {
    request.rows = std::min(rows_at_once, batch.rows - row);
    request.is_new = !kept;
    if (!kept) {
      placed_.reset();
      place_rows(batch, row, request.rows);
    }
    for (std::int64_t probe = 0; probe < probes; probe += request.probes) {
      request.probes = encode_probes(batch, probe, probes_at_once);
      connection_.control().request = request;
      connection_.exchange(RequestKind::vectors, deadline, during);
      request.is_new = false;
      const auto* from = reinterpret_cast<const double*>(connection_.data() + kOutputsOffset);
      for (std::int64_t r = 0; r < request.rows; ++r) {
        std::copy_n(from + r * request.probes, request.probes,
                    outputs.begin() + (row + r) * probes + probe);
      }
    }
  }
  if (keepable) placed_ = wanted;
  return outputs;
}

}  // namespace

std::unique_ptr<Target> open_library_target(const std::string& kind, const std::string& library,
                                            const TargetOptions& options) {
  return std::make_unique<BlasTarget>(kind, library, options);
}

}  // namespace reprosum::reveal

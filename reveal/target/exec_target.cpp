#include "reveal/target/exec_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "reveal/target/exec_process.h"
#include "reveal/target/exec_protocol.h"
#include "reveal/target/layout.h"

namespace reprosum::reveal {
namespace {

using Bytes = std::vector<std::byte>;

// A request is filled with rows up to about this size: large enough that a script's cost per
// request vanishes, small enough to stay in a cache.
constexpr std::int64_t kRequestBytes = std::int64_t{1} << 20;

std::uint32_t wire(spec::Routine routine) { return routine == spec::Routine::sum ? 0 : 1; }
std::uint32_t wire(spec::Type type) { return spec::is_f32(type) ? 0 : 1; }

template <typename T>
T read_as(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// What came instead of what was expected, printable.
std::string excerpt(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 24))) {
    const char c = static_cast<char>(byte);
    text += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", int(byte));
  }
  return text;
}

std::size_t hello_size(std::span<const std::byte> bytes) {
  const std::size_t known = std::min(bytes.size(), sizeof kHelloMagic);
  if (std::memcmp(bytes.data(), kHelloMagic, known) != 0) {
    throw TargetError("protocol",
                      fmt::format("says \"{}\" where its hello should be", excerpt(bytes)));
  }
  if (bytes.size() < sizeof(ExecHello)) return sizeof(ExecHello);
  const auto hello = read_as<ExecHello>(bytes);
  if (hello.version != kProtocolVersion) {
    throw TargetError("protocol", fmt::format("speaks version {} of the protocol; version {} is "
                                              "understood",
                                              hello.version, kProtocolVersion));
  }
  if (hello.routines > kMaxRoutines || hello.text_bytes > kMaxText) {
    throw TargetError("protocol", "says a hello that is too long");
  }
  return sizeof hello + 8 * std::size_t{hello.routines} + hello.text_bytes;
}

std::size_t reply_size(std::span<const std::byte> bytes, std::int64_t rows, std::int64_t element) {
  const std::size_t known = std::min(bytes.size(), sizeof kReplyMagic);
  if (std::memcmp(bytes.data(), kReplyMagic, known) != 0) {
    throw TargetError("protocol",
                      fmt::format("says \"{}\" where a reply should be", excerpt(bytes)));
  }
  if (bytes.size() < sizeof(ExecReply)) return sizeof(ExecReply);
  const auto reply = read_as<ExecReply>(bytes);
  if (reply.status != 0) {
    if (reply.count < 0 || reply.count > kMaxText) {
      throw TargetError("protocol", "sends an error message that is too long");
    }
    return sizeof reply + static_cast<std::size_t>(reply.count);
  }
  if (reply.count != rows) {
    throw TargetError("protocol",
                      fmt::format("answers {} values where {} were asked", reply.count, rows));
  }
  return sizeof reply + static_cast<std::size_t>(rows * element);
}

class ExecTarget final : public Target {
 public:
  ExecTarget(std::string command, const TargetOptions& options)
      : command_(std::move(command)), options_(options), process_(command_, options.environment) {
    start();
  }

  std::vector<double> run(const Batch& batch) override;

  bool has(spec::Routine routine, spec::Type type) override {
    return spec::is_native(type) &&
           std::find(routines_.begin(), routines_.end(), std::pair{wire(routine), wire(type)}) !=
               routines_.end();
  }

  std::vector<std::pair<std::string, std::string>> identity() override {
    std::vector<std::pair<std::string, std::string>> all{{"target", "exec:" + command_}};
    for (const auto& [key, value] : facts_) all.emplace_back("says." + key, value);
    for (const std::string& setting : options_.environment) {
      const std::size_t equals = setting.find('=');
      all.emplace_back("environment." + setting.substr(0, equals), setting.substr(equals + 1));
    }
    return all;
  }

  std::int64_t calls() const override { return calls_; }

 private:
  void start();
  Clock::time_point deadline() const {
    const std::chrono::duration<double> limit(options_.timeout_s);
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  }
  // The base vectors of one row, in the layout and the type in which they are sent.
  struct BaseRow {
    std::int64_t row = -1;
    Bytes x, y;
  };
  void set_base(const Batch& batch, std::int64_t row);
  void append_row(const Batch& batch, std::int64_t output);
  void edit(const std::vector<Edit>& edits, const VectorLayout& layout, std::byte* first) const;

  std::string command_;
  TargetOptions options_;
  ExecProcess process_;
  std::uint32_t flags_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> routines_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::int64_t calls_ = 0;

  // The batch that is being run:
  spec::Type type_ = spec::Type::f64;
  VectorLayout x_, y_;
  std::size_t x_bytes_ = 0, y_bytes_ = 0;  // of one row
  BaseRow base_;
  Bytes xs_, ys_;
};

void ExecTarget::start() {
  process_.start();
  const Bytes answer = process_.exchange({}, hello_size, deadline(), "was starting");
  const auto hello = read_as<ExecHello>(answer);
  flags_ = hello.flags;
  routines_.clear();
  facts_.clear();
  std::span<const std::byte> rest(answer);
  rest = rest.subspan(sizeof hello);
  for (std::uint32_t i = 0; i < hello.routines; ++i, rest = rest.subspan(8)) {
    routines_.emplace_back(read_as<std::uint32_t>(rest), read_as<std::uint32_t>(rest.subspan(4)));
  }
  std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    facts_.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
}

void ExecTarget::set_base(const Batch& batch, std::int64_t row) {
  const auto of_row = [&](std::span<const double> all) {
    return all.empty() ? all
                       : all.subspan(static_cast<std::size_t>(row * batch.call.k),
                                     static_cast<std::size_t>(batch.call.k));
  };
  base_.row = row;
  base_.x.assign(x_bytes_, std::byte{0xff});  // all ones is a NaN of either type
  place(type_, x_, of_row(batch.x), base_.x.data());
  base_.y.assign(y_bytes_, std::byte{0xff});
  place(type_, y_, of_row(batch.y), base_.y.data());
}

void ExecTarget::edit(const std::vector<Edit>& edits, const VectorLayout& layout,
                      std::byte* first) const {
  const std::int64_t element = element_size(type_);
  for (const Edit& edit : edits) {
    if (layout.increment == 0 && edit.index != 0) continue;  // x[0] is the only summand's place
    const std::uint64_t bits = bits_of(type_, edit.value);
    std::memcpy(first + layout.position(edit.index) * element, &bits,
                static_cast<std::size_t>(element));
  }
}

void ExecTarget::append_row(const Batch& batch, std::int64_t output) {
  const auto probes = static_cast<std::int64_t>(batch.probes.size());
  const std::int64_t row = probes == 0 ? output : output / probes;
  if (base_.row != row) set_base(batch, row);
  xs_.insert(xs_.end(), base_.x.begin(), base_.x.end());
  ys_.insert(ys_.end(), base_.y.begin(), base_.y.end());
  if (probes == 0) return;
  const Probe& probe = batch.probes[static_cast<std::size_t>(output % probes)];
  edit(probe.x, x_, xs_.data() + xs_.size() - x_bytes_);
  if (y_bytes_ > 0) edit(probe.y, y_, ys_.data() + ys_.size() - y_bytes_);
}

std::vector<double> ExecTarget::run(const Batch& batch) {
  check(batch);
  const Call& call = batch.call;
  const std::string name = spec::blas_name(call.routine, call.type);
  if (!has(call.routine, call.type)) {
    throw TargetError("missing_symbol", fmt::format("{} does not serve {}", command_, name));
  }
  if (call.k < 0)
    throw TargetError("declined", "an exec: target has no vectors of negative length");
  const bool dot = call.routine == spec::Routine::dot;
  const std::int64_t incy = dot ? call.incy : 1;
  if ((call.incx != 1 || incy != 1) && !(flags_ & kTakesIncrements)) {
    throw TargetError("declined", fmt::format("{} takes no increments other than 1", command_));
  }
  if (call.cblas) throw TargetError("declined", "an exec: target has one face");
  if (call.align_a != 0 || call.align_b != 0 || call.place != Place{}) {
    throw TargetError("declined", "addresses cannot be chosen in an exec: target");
  }
  type_ = call.type;
  x_ = {call.k, call.incx};
  y_ = {dot ? call.k : 0, incy};
  const std::int64_t element = element_size(type_);
  const auto row_bytes = [&](const VectorLayout& layout) {
    return static_cast<std::size_t>((layout.span() * element + 63) / 64 * 64);
  };
  x_bytes_ = row_bytes(x_);
  y_bytes_ = row_bytes(y_);
  base_.row = -1;

  if (!process_.running()) start();
  const auto limit = deadline();
  const std::string during = fmt::format("ran {} with n={}", name, call.k);
  const auto total =
      batch.rows * std::max<std::int64_t>(1, static_cast<std::int64_t>(batch.probes.size()));
  const auto bytes = static_cast<std::int64_t>(std::max<std::size_t>(x_bytes_ + y_bytes_, 64));
  const std::int64_t at_once = std::max<std::int64_t>(1, kRequestBytes / bytes);
  std::vector<double> outputs;
  outputs.reserve(static_cast<std::size_t>(total));
  for (std::int64_t from = 0; from < total; from += at_once) {
    const std::int64_t rows = std::min(at_once, total - from);
    ExecRequest header{wire(call.routine), wire(type_), call.k, call.incx, incy, rows, 0, 0};
    header.x_stride = static_cast<std::int64_t>(x_bytes_) / element;
    header.y_stride = static_cast<std::int64_t>(y_bytes_) / element;
    xs_.resize(sizeof header);
    std::memcpy(xs_.data(), &header, sizeof header);
    ys_.clear();
    for (std::int64_t i = 0; i < rows; ++i) append_row(batch, from + i);
    xs_.insert(xs_.end(), ys_.begin(), ys_.end());
    const auto needed = [&](std::span<const std::byte> answer) {
      return reply_size(answer, rows, element);
    };
    const Bytes answer = process_.exchange(xs_, needed, limit, during);
    const auto reply = read_as<ExecReply>(answer);
    const std::span<const std::byte> values = std::span(answer).subspan(sizeof reply);
    if (reply.status != 0) {
      throw TargetError(
          "protocol",
          fmt::format("{} reports: {}", command_,
                      std::string(reinterpret_cast<const char*>(values.data()), values.size())));
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto value = values.subspan(static_cast<std::size_t>(i * element));
      outputs.push_back(spec::is_f32(type_) ? read_as<float>(value) : read_as<double>(value));
    }
    calls_ += rows;
  }
  return outputs;
}

}  // namespace

std::unique_ptr<Target> open_exec_target(const std::string& command, const TargetOptions& options) {
  return std::make_unique<ExecTarget>(command, options);
}

}  // namespace reprosum::reveal

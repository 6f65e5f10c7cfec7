#include "reveal/target/blas_connection.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <vector>

namespace reprosum::reveal {
namespace {

// Memory that a large batch has touched beyond this is given back when a small one follows.
constexpr std::size_t kKeepBytes = std::size_t{64} << 20;
constexpr std::size_t kPage = 4096;

}  // namespace

BlasConnection::BlasConnection(std::string kind, std::string library, TargetOptions options)
    : kind_(std::move(kind)),
      library_(std::move(library)),
      options_(std::move(options)),
      memory_(kSharedBytes),
      control_(*new (memory_.data() + kControlOffset) BlasControl) {
  start();
}

Clock::time_point BlasConnection::deadline() const {
  const auto limit = std::chrono::duration<double>(options_.timeout_s);
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
}

bool BlasConnection::has_fact(const std::string& key) const {
  return std::any_of(facts_.begin(), facts_.end(),
                     [&](const auto& fact) { return fact.first == key; });
}

std::uint64_t BlasConnection::ready() {
  if (!child_.running()) start();
  return lives_;
}

void BlasConnection::start() {
  ++lives_;
  calls_of_dead_ += control_.calls.exchange(0);
  const FileDescriptor socket = caller_.open();
  const KeptToCores kept(cores_to_load_on_);  // the child starts on its parent's
  const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::vector<std::string> arguments{kind_, library_, std::to_string(options_.threads),
                                     std::to_string(options_.thread_setters.size())};
  for (const auto* const names : {&options_.thread_setters, &options_.identity_symbols})
    arguments.insert(arguments.end(), names->begin(), names->end());
  child_.start(arguments, {null.get(), null.get(), null.get(), socket.get(), memory_.descriptor()},
               options_.environment);
  exchange(RequestKind::none, deadline(), [] { return std::string("was being loaded"); });
  facts_ = read_facts(memory_.data() + kEditsOffset);
  if (control_.start_up == StartUp::cannot_load) {
    caller_.close();
    child_.end(0);
    throw TargetError("cannot_load", facts_.empty() ? library_ : facts_.front().second);
  }
  move_child();
  if (!child_.running()) start();
}

void BlasConnection::keep_to(const CoreSet& cores) {
  cores_ = cores;
  if (child_.running()) move_child();
}

void BlasConnection::move_child() {
  if (cores_.count() == 0) return;
  control_.cores = cores_;
  try {
    exchange(RequestKind::cores, deadline(),
             [] { return std::string("was moved to other cores"); });
  } catch (const TargetError&) {
    cores_ = {};
  }
}

void BlasConnection::fail(Caller::Outcome outcome, const During& during) {
  caller_.close();
  const std::string who = fmt::format("the process that probes {}", library_);
  const bool gone = outcome == Caller::Outcome::child_gone;
  const int status = child_.end(gone ? 2.0 : 0.0);
  if (!gone) {
    throw TargetError("timed_out", fmt::format("{} gave no answer within {} s while it {}", who,
                                               options_.timeout_s, during()));
  }
  const TargetError error = death_error(who, status);
  throw TargetError(error.reason, fmt::format("{} while it {}", error.what(), during()));
}

void BlasConnection::exchange(RequestKind kind, Clock::time_point deadline, const During& during) {
  control_.kind = kind;
  const auto outcome = caller_.exchange(child_.death_fd(), deadline);
  if (outcome != Caller::Outcome::answered) fail(outcome, during);
  if (kind == RequestKind::none || !control_.has_failed) return;
  control_.failure_reason.back() = control_.failure.back() = '\0';  // the child may be anything
  throw TargetError(control_.failure_reason.data(),
                    fmt::format("{} (it {})", control_.failure.data(), during()));
}

void BlasConnection::forget_unused(std::size_t part, std::size_t& touched, std::size_t used) {
  const std::size_t pages = (used + kPage - 1) / kPage * kPage;
  if (touched > kKeepBytes && used < touched / 4) {
    const std::size_t keep = std::max(kKeepBytes / 2, pages);
    memory_.forget(part + keep, touched - keep);
    touched = keep;
  }
  touched = std::max(touched, pages);
}

}  // namespace reprosum::reveal

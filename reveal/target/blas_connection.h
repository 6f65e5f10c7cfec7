// A child process with a BLAS in it, as its parent sees it: started, asked, timed, buried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "reveal/target.h"
#include "reveal/target/blas_server.h"
#include "reveal/target/channel.h"
#include "reveal/target/child_process.h"

namespace reprosum::reveal {

class BlasConnection {
 public:
  // Starts the child. Throws TargetError cannot_load, or what the library did while it was loaded.
  // `kind` is what it is a library of (blas_server.h).
  BlasConnection(std::string kind, std::string library, TargetOptions options);

  const std::string& kind() const { return kind_; }
  const std::string& library() const { return library_; }
  bool has_fact(const std::string& key) const;
  const TargetOptions& options() const { return options_; }
  const Facts& facts() const { return facts_; }
  std::int64_t calls() const { return calls_of_dead_ + control_.calls.load(); }

  // A fresh child if the last one died. @return a number that differs for each child; what an
  // earlier child was given is lost.
  std::uint64_t ready();
  Clock::time_point deadline() const;  // for a batch that begins at this moment

  // The child answers the request that lies in control(). Throws TargetError, in which `during`
  // tells what was asked ("ran ddot with n=3"). The child is gone then, unless the library's call
  // declined or failed, which changes nothing.
  using During = std::function<std::string()>;
  void exchange(RequestKind kind, Clock::time_point deadline, const During& during);
  BlasControl& control() { return control_; }
  // This child and those after it run on these cores. A child that cannot be moved is given up, and
  // later ones are not moved.
  void keep_to(const CoreSet& cores);
  std::byte* data() const { return memory_.data(); }

  // Call this before `used` bytes of a part are written. `touched` is what the part has in memory,
  // kept by the caller; much more than `used` is given back.
  void forget_unused(std::size_t part, std::size_t& touched, std::size_t used);

 private:
  void start();
  void move_child();
  [[noreturn]] void fail(Caller::Outcome outcome, const During& during);

  std::string kind_, library_;
  TargetOptions options_;
  // Libraries count the cores that they may run on when they are loaded.
  const CoreSet cores_to_load_on_ = CoreSet::of_this_thread();
  CoreSet cores_;  // empty: all
  SharedMemory memory_;
  BlasControl& control_;
  Caller caller_;
  ChildProcess child_;
  Facts facts_;
  std::uint64_t lives_ = 0;
  std::int64_t calls_of_dead_ = 0;
};

}  // namespace reprosum::reveal

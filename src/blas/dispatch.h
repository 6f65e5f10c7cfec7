// What becomes of a call of a replayable routine: replayed, forwarded to the backing, or refused.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "reprosum/reprosum.h"
#include "src/blas/backing.h"
#include "src/blas/counts.h"
#include "src/blas/exact_routines.h"
#include "src/blas/fault.h"
#include "src/blas/forwarding.h"
#include "src/blas/refuse.h"
#include "src/blas/settings.h"
#include "src/blas/shared_handle.h"
#include "src/runtime/float_environment.h"

namespace reprosum::blas {

enum class Face { fortran, cblas };

// A Call is one call with its arguments:
//   n                                           one of them, of its integers' type
//   Symbol symbol() const                       who was called
//   Fault fault() const                         the argument that BLAS forbids, if one is
//   bool settled() const                        no output: nothing is left to decide
//   bool keeps_result() const                   the reference returns at once: so does the exact
//                                               mode, while what a captured library does is the
//                                               spec's to say
//   reprosum_status replay(reprosum_handle*)    writes the result only if it is REPROSUM_OK, or if
//                                               memory ends midway, and then all of it is given up
//   reprosum_status exact()                     the same without a spec, rounded once
//   void forward(void* address)                 calls the backing's symbol of the same name, with
//                                               the arguments as they came
//   void give_up()                              puts NaN where the call would have written; asked
//                                               of calls without a forbidden argument only
//   std::string arguments() const               as REPROSUM_VERBOSE prints them
//   std::string named_arguments() const         as a refusal prints them
//   int argument_at_fault(const reprosum_handle*) const
//   std::string kernel(const reprosum_handle*) const   what replayed it
template <class Call>
class Dispatch {
 public:
  explicit Dispatch(Call& call) : call_(call), asked_(settings()) {
    if (asked_.verbose) start_ = std::chrono::steady_clock::now();
  }

  void run() {
    if (!asked_.why.empty()) return refused("served", asked_.why, 0);
    if constexpr (sizeof call_.n == 4)
      if (const std::string& why = why_no_narrow_names(); !why.empty()) [[unlikely]]
        if (is_narrow(name_of(call_.symbol()))) return refused("served", why, 0);
    if (asked_.mode == Mode::forward) return forward();
    if (const Fault fault = call_.fault(); fault.found) return faulty(fault);
    if (call_.settled()) return end(asked_.mode == Mode::exact ? End::exact : End::replayed, "");
    if (asked_.mode == Mode::exact) return exact();
    const SharedHandle& shared = shared_handle();
    if (shared.handle == nullptr) {
      if (shared.none_named && is_served_otherwise()) return;
      return refused("replayed", shared.why, 0);
    }
    const reprosum_status status = call_.replay(shared.handle);
    if (status == REPROSUM_OK)
      return end(End::replayed, asked_.verbose ? kernel(shared.handle) : "");
    if (status == REPROSUM_NOT_COVERED && is_served_otherwise()) return;
    refused("replayed", call_.why(shared.handle), call_.argument_at_fault(shared.handle));
  }

 private:
  // Serves a call that the spec does not cover if the user chose so. Not asked where a spec was
  // named and cannot be used: such calls are refused.
  bool is_served_otherwise() {
    if (asked_.on_uncovered == OnUncovered::error) return false;
    asked_.on_uncovered == OnUncovered::forward ? forward() : exact();
    return true;
  }

  void faulty(const Fault& fault) {
    if (!fault.disputed) return error_exit(fault);
    if (asked_.mode == Mode::replay && asked_.on_uncovered == OnUncovered::forward)
      return forward();
    refused(asked_.mode == Mode::exact ? "computed" : "replayed", disputed_text(), fault.argument);
  }

  void exact() {
    if (call_.keeps_result()) return end(End::exact, "");
    prepare_exact();
    if (call_.exact() == REPROSUM_OK) return end(End::exact, "");
    refused("computed", reprosum_last_error(nullptr), 0);
  }

  // The backing says which argument it is, and goes on or ends the process, as without us. Where
  // nobody stands behind, xerbla_ gets the reference's number.
  void error_exit(const Fault& fault) {
    const char* const name = name_of(call_.symbol());
    void* const address = blas::error_exit(name, twin_of(call_.symbol()));
    end(End::refused, "");  // before a handler that does not return
    if (address != nullptr) return call_.forward(address);
    report_argument(routine_of(name), fault.argument);
  }

  // One address for each kind of call and symbol, kept once it may be called; the search takes
  // long.
  void forward() {
    static std::atomic<void*> known[static_cast<std::size_t>(Symbol::count)];
    std::atomic<void*>& target = known[static_cast<std::size_t>(call_.symbol())];
    void* address = target.load(std::memory_order_acquire);
    if (address == nullptr) {
      const Found found = find_in_backing(name_of(call_.symbol()), twin_of(call_.symbol()));
      if (found.address == nullptr) return refused("forwarded", found.why, 0);
      if (!may_forward(name_of(call_.symbol())))
        return refused("forwarded", not_forwarded_text(), 0);
      address = found.address;
      if (found.is_final) target.store(address, std::memory_order_release);
    }
    call_.forward(address);
    end(End::forwarded, "");
  }

  // An error exit may leave by an exception or a jump, and then nothing has been written. If it
  // returns, the program goes on with whatever stands in the outputs.
  void refused(const char* done, const std::string& why, int argument) {
    const std::string routine = routine_of(name_of(call_.symbol()));
    count(call_.symbol(), End::refused);
    refuse(routine, routine + "(" + call_.named_arguments() + ")", done, why, argument);
    if (!call_.fault().found) call_.give_up();
    print(End::refused, "");
  }

  void end(End end, const std::string& note) {
    count(call_.symbol(), end);
    print(end, note);
  }

  // What is said of a call raises no flag of the caller's, and no trap.
  std::string kernel(const reprosum_handle* handle) const {
    const runtime::DefaultFloatEnvironment environment;
    const std::string not_there = reprosum_device_refusal(handle);
    return not_there.empty() ? call_.kernel(handle) : "not on the device: " + not_there;
  }

  void print(End end, const std::string& note) {
    if (!asked_.verbose) return;
    const runtime::DefaultFloatEnvironment environment;
    const auto taken = std::chrono::steady_clock::now() - start_;
    print_call(std::string(name_of(call_.symbol())) + "(" + call_.arguments() + ")",
               std::chrono::duration_cast<std::chrono::nanoseconds>(taken), end, note);
  }

  Call& call_;
  const Settings& asked_;
  std::chrono::steady_clock::time_point start_;
};

template <class Call>
void dispatch(Call& call) {
  Dispatch<Call>(call).run();
}

}  // namespace reprosum::blas

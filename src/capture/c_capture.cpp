// The C API of captures: its border, its specs and its four jobs.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reprosum/capture.h"
#include "spec/json.h"
#include "spec/surface.h"
#include "src/base/read_file.h"
#include "src/base/thread_object.h"
#include "src/capture/caller_desk.h"
#include "src/capture/caller_target.h"
#include "src/capture/options.h"
#include "src/capture/own_thread.h"
#include "src/capture/watcher.h"
#include "src/report/capture_report.h"
#include "src/report/diff_report.h"
#include "src/report/show_report.h"
#include "src/report/verify_report.h"
#include "src/runtime/status.h"

struct reprosum_spec {
  const reprosum::spec::Spec spec;
};

namespace reprosum::capture {
namespace {

using runtime::BadArgument;
using runtime::NotCovered;

// The caller's own function ended the run.
struct Cancelled {};

// Larger than any spec that a capture writes; keeps a wrong path from filling the memory.
constexpr std::size_t kLargestSpec = std::size_t{1} << 28;

// What messages and reports call a spec that has no file. Never destroyed: a program may call to
// its very end.
const std::string &kName = *new std::string("the spec"),
                  &kFirst = *new std::string("the first spec"),
                  &kSecond = *new std::string("the second spec");

std::string& message_of_this_thread() {
  struct Message {
    std::string text;
  };
  return base::of_this_thread<Message>().text;
}

void keep_message(std::string_view text) noexcept {
  try {
    message_of_this_thread() = text;
  } catch (...) {
    // No memory for a message: the status has to do.
  }
}

// What work() threw as a status.
reprosum_status status_of(reprosum_status user_error, const std::function<void()>& work) noexcept {
  try {
    work();
    return REPROSUM_OK;
  } catch (const Cancelled&) {
    keep_message("the progress function ended the run");
    return REPROSUM_CANCELLED;
  } catch (const reveal::TargetError& error) {
    keep_message(error.reason + ": " + error.what());
    return REPROSUM_ENVIRONMENT;
  } catch (...) {
    return runtime::status_of_exception(keep_message, user_error);
  }
}

// job() on a thread of its own.
reprosum_status run(reprosum_status user_error, const std::function<void()>& job) noexcept {
  return status_of(user_error, [&] { on_own_thread(job); });
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw BadArgument(std::string(name) + " is null");
}

// Freed by reprosum_text_free, unless it is given away.
struct Free {
  void operator()(char* text) const { std::free(text); }
};
using Text = std::unique_ptr<char, Free>;

Text copied(const std::string& text) {
  Text out(static_cast<char*>(std::malloc(text.size() + 1)));
  if (out == nullptr) throw std::bad_alloc();
  std::memcpy(out.get(), text.c_str(), text.size() + 1);
  return out;
}
Text copied(const report::Json& json) {
  return copied(json.dump(2, ' ', false, report::Json::error_handler_t::replace) + "\n");
}

template <class Read>
reprosum_status open(reprosum_spec** to, Read&& read) noexcept {
  return run(REPROSUM_BAD_SPEC, [&] {
    require(to, "the place for the spec");
    *to = new reprosum_spec{spec::from_json(read())};
  });
}

std::string refusals(const spec::Spec& spec) {
  std::string out;
  for (const spec::Refusal& refusal : spec.refusals)
    out +=
        (out.empty() ? "" : "; ") + refusal.routine + " " + refusal.context + ": " + refusal.reason;
  return out.empty() ? "the target has none of the routines" : out;
}

// What a run throws once its caller has ended it is the end that he wanted.
template <class Work>
auto unless_cancelled(const Watcher& watcher, Work&& work) {
  try {
    return work();
  } catch (...) {
    if (watcher.is_cancelled()) throw Cancelled();
    throw;
  }
}

// A capture or verification on the thread that calls it.
void capture_to(const report::CaptureRequest& request, reprosum_progress_function progress,
                void* user, reprosum_spec** spec, char** report) {
  Watcher watcher(progress, user);
  report::Captured captured =
      unless_cancelled(watcher, [&] { return report::capture(request, watcher.watch()); });
  if (!report::covers_something(captured.spec)) {
    if (watcher.is_cancelled()) throw Cancelled();
    throw NotCovered("nothing was certified: " + refusals(captured.spec));
  }
  Text said;
  if (report != nullptr)
    said = copied(report::capture_json(request, captured, watcher.is_cancelled(), report::Json()));
  *spec = new reprosum_spec{std::move(captured.spec)};
  if (report != nullptr) *report = said.release();
}

void verify_to(const reprosum_spec* spec, const report::ProbingOptions& probing,
               reprosum_progress_function progress, void* user, int* holds, char** report) {
  Watcher watcher(progress, user);
  const report::Verified verified = unless_cancelled(
      watcher, [&] { return report::verify(spec->spec, kName, probing, watcher.watch()); });
  if (report != nullptr)
    *report = copied(report::verify_json(spec->spec, kName, probing, verified)).release();
  *holds = verified.different == 0 ? 1 : 0;
}

// The target of a function has a name that read_capture_options() takes for one.
std::string target_name(const reprosum_function* function) {
  require(function, "the function");
  require(function->name, "the function's name");
  return std::string("function:") + function->name;
}

}  // namespace
}  // namespace reprosum::capture

using namespace reprosum;
using namespace reprosum::capture;

extern "C" {

const char* reprosum_capture_last_error(void) { return message_of_this_thread().c_str(); }

void reprosum_text_free(char* text) { std::free(text); }

reprosum_status reprosum_spec_read(const char* path, reprosum_spec** spec) {
  return open(spec, [&] {
    require(path, "path");
    base::FileText file = base::read_file(path, kLargestSpec);
    if (!file.why.empty())
      throw EnvironmentError("cannot read " + std::string(path) + ": " + file.why);
    return std::move(file.text);
  });
}

reprosum_status reprosum_spec_parse(const void* text, size_t size, reprosum_spec** spec) {
  return open(spec, [&] {
    require(text, "text");
    if (size > kLargestSpec) throw UserError("the text is too large to be a spec");
    return std::string(static_cast<const char*>(text), size);
  });
}

void reprosum_spec_free(reprosum_spec* spec) { delete spec; }

reprosum_status reprosum_spec_json(const reprosum_spec* spec, char** json) {
  return run(REPROSUM_BAD_SPEC, [&] {
    require(spec, "the spec");
    require(json, "the place for the text");
    *json = copied(spec::to_json(spec->spec) + "\n").release();
  });
}

reprosum_status reprosum_capture(const char* target, const char* const* options,
                                 reprosum_progress_function progress, void* user,
                                 reprosum_spec** spec, char** report) {
  return run(REPROSUM_BAD_ARGUMENT, [&] {
    require(spec, "the place for the spec");
    capture_to(read_capture_options(target, options), progress, user, spec, report);
  });
}

reprosum_status reprosum_capture_function(const reprosum_function* function,
                                          const char* const* options,
                                          reprosum_progress_function progress, void* user,
                                          reprosum_spec** spec, char** report) {
  return status_of(REPROSUM_BAD_ARGUMENT, [&] {
    CallerDesk desk;
    desk.serve([&] {
      require(spec, "the place for the spec");
      const std::string name = target_name(function);
      const report::CaptureRequest request =
          read_capture_options(name.c_str(), options, caller_targets(*function, desk));
      if (request.threads != "1")
        throw BadArgument(
            "a function has no thread count that could be set: set it, capture, and "
            "give each capture a name");
      capture_to(request, progress, user, spec, report);
    });
  });
}

reprosum_status reprosum_verify(const reprosum_spec* spec, const char* target,
                                const char* const* options, reprosum_progress_function progress,
                                void* user, int* holds, char** report) {
  return run(REPROSUM_NOT_COVERED, [&] {
    require(spec, "the spec");
    require(holds, "the place for the verdict");
    verify_to(spec, read_verify_options(target, options), progress, user, holds, report);
  });
}

reprosum_status reprosum_verify_function(const reprosum_spec* spec,
                                         const reprosum_function* function,
                                         const char* const* options,
                                         reprosum_progress_function progress, void* user,
                                         int* holds, char** report) {
  return status_of(REPROSUM_NOT_COVERED, [&] {
    CallerDesk desk;
    desk.serve([&] {
      require(spec, "the spec");
      require(holds, "the place for the verdict");
      const std::string name = target_name(function);
      verify_to(spec, read_verify_options(name.c_str(), options, caller_targets(*function, desk)),
                progress, user, holds, report);
    });
  });
}

reprosum_status reprosum_diff(const reprosum_spec* a, const reprosum_spec* b,
                              const char* const* options, int* same, char** report) {
  return run(REPROSUM_NOT_COVERED, [&] {
    require(a, "the first spec");
    require(b, "the second spec");
    require(same, "the place for the verdict");
    const report::NamedSpec left{a->spec, kFirst}, right{b->spec, kSecond};
    const report::Difference difference = report::compare(left, right, read_diff_options(options));
    if (report != nullptr) *report = copied(report::diff_json(left, right, difference)).release();
    *same = difference.is_none() ? 1 : 0;
  });
}

reprosum_status reprosum_show(const reprosum_spec* spec, const char* const* options, char** text) {
  return run(REPROSUM_NOT_COVERED, [&] {
    require(spec, "the spec");
    require(text, "the place for the text");
    *text = copied(report::shown(spec->spec, read_show_options(options))).release();
  });
}

}  // extern "C"

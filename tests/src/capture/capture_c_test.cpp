// The C API of captures on libraries of a few lines.
#include <gtest/gtest.h>
#include <pthread.h>
#include <reprosum/capture.h>
#include <signal.h>
#include <sys/resource.h>

#include <cfenv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/paths.h"
#include "tests/src/capture/capture_caller.h"

namespace reprosum::capture {
namespace {

using Json = nlohmann::json;

std::string fake(const std::string& name) {
  return "blas:" REPROSUM_BINARY_DIR "/libfake_" + name + ".so";
}

constexpr const char* kQuick[] = {"routines", "ddot", "increments", "1:1", "n-max", "2k",
                                  "vectors",  "50",   "timeout",    "60",  nullptr};

struct Spec {
  Spec() = default;
  Spec(Spec&& other) noexcept : spec(std::exchange(other.spec, nullptr)) {}
  ~Spec() { reprosum_spec_free(spec); }
  reprosum_spec* spec = nullptr;
};

// One capture serves all tests that only want a spec.
const reprosum_spec* sequential() {
  static const Spec made = [] {
    Spec out;
    EXPECT_EQ(
        reprosum_capture(fake("sequential").c_str(), kQuick, nullptr, nullptr, &out.spec, nullptr),
        REPROSUM_OK)
        << reprosum_capture_last_error();
    return out;
  }();
  return made.spec;
}

std::string text_of(char* text) {
  std::string out = text != nullptr ? text : "";
  reprosum_text_free(text);
  return out;
}

std::string document(const reprosum_spec* spec) {
  char* json = nullptr;
  EXPECT_EQ(reprosum_spec_json(spec, &json), REPROSUM_OK) << reprosum_capture_last_error();
  return text_of(json);
}

TEST(CaptureC, TheWholeJobFromC) {
  double dot = -1;
  const char* const wrong = whole_job(fake("sequential").c_str(), &dot);
  EXPECT_EQ(wrong, nullptr) << wrong;
  EXPECT_EQ(dot, 0);  // (1e16 + 1) - 1e16, one after the other
}

int throw_at_once(void*, const reprosum_progress*) { throw 7; }

TEST(CaptureC, AnExceptionOfAProgressFunctionEndsTheRun) {
  Spec made;
  EXPECT_EQ(reprosum_capture(fake("sequential").c_str(), kQuick, throw_at_once, nullptr, &made.spec,
                             nullptr),
            REPROSUM_CANCELLED)
      << reprosum_capture_last_error();
  int holds = -1;
  EXPECT_EQ(reprosum_verify(sequential(), fake("sequential").c_str(), nullptr, throw_at_once,
                            nullptr, &holds, nullptr),
            REPROSUM_CANCELLED);
  EXPECT_EQ(holds, -1);
}

// Then nobody learns how a child has ended, which is no reason to call it an orderly exit.
TEST(CaptureC, AProgramMayIgnoreItsChildren) {
  struct sigaction ignored {
  }, before{};
  ignored.sa_handler = SIG_IGN;
  ASSERT_EQ(sigaction(SIGCHLD, &ignored, &before), 0);
  Spec made, none;
  EXPECT_EQ(
      reprosum_capture(fake("sequential").c_str(), kQuick, nullptr, nullptr, &made.spec, nullptr),
      REPROSUM_OK)
      << reprosum_capture_last_error();
  EXPECT_EQ(reprosum_capture("exec:kill -9 $$", nullptr, nullptr, nullptr, &none.spec, nullptr),
            REPROSUM_ENVIRONMENT);
  EXPECT_NE(std::string(reprosum_capture_last_error()).find("how is not known"), std::string::npos)
      << reprosum_capture_last_error();
  ASSERT_EQ(sigaction(SIGCHLD, &before, nullptr), 0);
}

// Descriptors are handed to the helper by way of others, which were once to be 64 or more.
TEST(CaptureC, FewDescriptorsAreEnough) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{32, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Spec made;
  EXPECT_EQ(
      reprosum_capture(fake("sequential").c_str(), kQuick, nullptr, nullptr, &made.spec, nullptr),
      REPROSUM_OK)
      << reprosum_capture_last_error();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int end_at_once(void* user, const reprosum_progress*) {
  ++*static_cast<int*>(user);
  return 1;
}

TEST(CaptureC, AProgressFunctionEndsTheRun) {
  Spec made;
  int told = 0;
  char* report = nullptr;
  EXPECT_EQ(
      reprosum_capture(fake("sequential").c_str(), kQuick, end_at_once, &told, &made.spec, &report),
      REPROSUM_CANCELLED);
  EXPECT_EQ(made.spec, nullptr);
  EXPECT_EQ(report, nullptr);
  EXPECT_GT(told, 0);
  EXPECT_STREQ(reprosum_status_string(REPROSUM_CANCELLED), "cancelled");

  ASSERT_NE(sequential(), nullptr);
  int holds = -1;
  EXPECT_EQ(reprosum_verify(sequential(), fake("sequential").c_str(), nullptr, end_at_once, &told,
                            &holds, &report),
            REPROSUM_CANCELLED);
  EXPECT_EQ(holds, -1);
  EXPECT_EQ(report, nullptr);
}

TEST(CaptureC, ADifferentLibraryDiffers) {
  Spec made;
  const std::string file =
      std::string(REPROSUM_SOURCE_DIR "/spec/library/openblas-0.3.21-Haswell.json");
  ASSERT_EQ(reprosum_spec_read(file.c_str(), &made.spec), REPROSUM_OK)
      << reprosum_capture_last_error();
  int same = -1;
  char* report = nullptr;
  ASSERT_EQ(reprosum_diff(made.spec, sequential(), nullptr, &same, &report), REPROSUM_OK)
      << reprosum_capture_last_error();
  EXPECT_EQ(same, 0);
  const Json difference = Json::parse(text_of(report));
  EXPECT_EQ(difference["schema"], "reprosum-diff/1");
  EXPECT_EQ(difference["same"], false);
}

TEST(CaptureC, EachWrongArgumentIsNamed) {
  Spec made;
  const std::string target = fake("sequential");
  const auto refused = [&](const char* probed, std::vector<const char*> options,
                           const std::string& word) {
    options.push_back(nullptr);
    EXPECT_EQ(reprosum_capture(probed, options.data(), nullptr, nullptr, &made.spec, nullptr),
              REPROSUM_BAD_ARGUMENT);
    const std::string said = reprosum_capture_last_error();
    EXPECT_NE(said.find(word), std::string::npos) << said;
    EXPECT_EQ(said.find("--"), std::string::npos) << said;  // that is a command line's
  };
  refused(nullptr, {}, "target");
  refused("openblas", {}, "blas:");
  refused(target.c_str(), {"routine", "ddot"}, "routines");
  refused(target.c_str(), {"routines", "dfoo"}, "dfoo");
  refused(target.c_str(), {"threads"}, "no value");
  refused(target.c_str(), {"threads", "0"}, "threads");
  refused(target.c_str(), {"timeout", "nan"}, "timeout");
  refused(target.c_str(), {"vectors", "1e9"}, "vectors");
  refused(target.c_str(), {"alpha-one", "yes"}, "alpha-one");
  EXPECT_EQ(reprosum_capture(target.c_str(), nullptr, nullptr, nullptr, nullptr, nullptr),
            REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(made.spec, nullptr);

  char* text = nullptr;
  EXPECT_EQ(reprosum_spec_json(nullptr, &text), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_show(nullptr, nullptr, &text), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_diff(nullptr, nullptr, nullptr, nullptr, nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_verify(nullptr, target.c_str(), nullptr, nullptr, nullptr, nullptr, nullptr),
            REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(text, nullptr);
  reprosum_spec_free(nullptr);
  reprosum_text_free(nullptr);
}

TEST(CaptureC, TargetsAndDocumentsThatAreNone) {
  Spec made;
  EXPECT_EQ(
      reprosum_capture("blas:/no/such/library.so", kQuick, nullptr, nullptr, &made.spec, nullptr),
      REPROSUM_ENVIRONMENT);
  EXPECT_NE(std::strstr(reprosum_capture_last_error(), "cannot_load"), nullptr)
      << reprosum_capture_last_error();
  EXPECT_EQ(reprosum_capture(fake("crash").c_str(), kQuick, nullptr, nullptr, &made.spec, nullptr),
            REPROSUM_ENVIRONMENT);
  EXPECT_NE(std::strstr(reprosum_capture_last_error(), "crashed"), nullptr)
      << reprosum_capture_last_error();
  EXPECT_EQ(reprosum_spec_read("/no/such/file", &made.spec), REPROSUM_ENVIRONMENT);
  EXPECT_EQ(reprosum_spec_parse("{", 1, &made.spec), REPROSUM_BAD_SPEC);
  EXPECT_EQ(made.spec, nullptr);
}

TEST(CaptureC, WhatIsShownIsCheckedFirst) {
  Spec made;
  const std::string file = std::string(REPROSUM_SOURCE_DIR "/spec/library/numpy-1.24-sum.json");
  ASSERT_EQ(reprosum_spec_read(file.c_str(), &made.spec), REPROSUM_OK)
      << reprosum_capture_last_error();
  const auto show = [&](std::vector<const char*> options, reprosum_status wanted) {
    options.push_back(nullptr);
    char* text = nullptr;
    EXPECT_EQ(reprosum_show(made.spec, options.data(), &text), wanted)
        << reprosum_capture_last_error();
    return text_of(text);
  };
  EXPECT_NE(show({}, REPROSUM_OK).find("dsum"), std::string::npos);
  EXPECT_NE(show({"routine", "dsum", "n", "9"}, REPROSUM_OK).find("(4 + 5 + (6 + 7))"),
            std::string::npos);
  EXPECT_EQ(show({"routine", "dsum", "n", "9", "format", "svg"}, REPROSUM_OK).substr(0, 4), "<svg");
  EXPECT_EQ(Json::parse(show({"format", "json"}, REPROSUM_OK))["schema"], "reprosum-show/1");
  show({"routine", "ddot", "n", "9"}, REPROSUM_NOT_COVERED);
  show({"n", "nine"}, REPROSUM_BAD_ARGUMENT);
  show({"format", "asm"}, REPROSUM_BAD_ARGUMENT);
}

// The hash of everything that a capture says, except when it was made.
Json meaning(const reprosum_spec* spec) {
  const Json json = Json::parse(document(spec));
  return json.at("sha256");
}

// What follows runs on a caller's thread of 64 KiB that rounds upward.
void* capture_here(void* place) {
  std::fesetround(FE_UPWARD);
  auto* const spec = static_cast<Spec*>(place);
  reprosum_capture(fake("sequential").c_str(), kQuick, nullptr, nullptr, &spec->spec, nullptr);
  if (std::fegetround() != FE_UPWARD) {
    reprosum_spec_free(spec->spec);
    spec->spec = nullptr;
  }
  return nullptr;
}

TEST(CaptureC, NeitherStackNorRoundingOfTheCallerMatters) {
  Spec odd;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 64 << 10), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, capture_here, &odd), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  ASSERT_NE(odd.spec, nullptr);
  EXPECT_EQ(meaning(odd.spec), meaning(sequential()));
}

// Adds from the last summand to the first, on one thread alone.
struct Backwards {
  pthread_t thread = pthread_self();
  long calls = 0, fails_after = -1;

  static int call(void* user, const reprosum_reduction* what, const void* x, const void* y,
                  void* out) {
    auto& self = *static_cast<Backwards*>(user);
    EXPECT_TRUE(pthread_equal(self.thread, pthread_self()));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x) % 64, 0u);
    EXPECT_EQ(y, nullptr);
    if (what->incx < 1) return 1;
    if (self.calls++ == self.fails_after) return 2;
    double sum = 0;
    for (std::int64_t k = what->n; k-- > 0;) sum += static_cast<const double*>(x)[k * what->incx];
    *static_cast<double*>(out) = sum;
    return 0;
  }
  reprosum_function described() { return {"backwards", "version=7\nby=hand", 2, 0, this, &call}; }
};

constexpr const char* kShort[] = {"n-max", "500", "vectors", "50", nullptr};

TEST(CaptureC, AFunctionIsCalledByTheThreadThatCaptures) {
  Backwards backwards;
  const reprosum_function function = backwards.described();
  Spec made;
  ASSERT_EQ(reprosum_capture_function(&function, kShort, nullptr, nullptr, &made.spec, nullptr),
            REPROSUM_OK)
      << reprosum_capture_last_error();
  const std::string text = document(made.spec);
  EXPECT_NE(text.find("function:backwards"), std::string::npos);
  EXPECT_NE(text.find("says.version"), std::string::npos);
  reprosum_handle* handle = nullptr;
  ASSERT_EQ(reprosum_open_memory(text.data(), text.size(), &handle), REPROSUM_OK);
  const double x[] = {1, 0x1p53, -0x1p53, 3};
  double sum = 0;
  EXPECT_EQ(reprosum_dsum(handle, 4, x, 1, &sum), REPROSUM_OK);
  EXPECT_EQ(sum, 1 + (0x1p53 + (-0x1p53 + 3)));
  EXPECT_EQ(reprosum_dsum(handle, 2, x, -1, &sum), REPROSUM_NOT_COVERED);
  reprosum_close(handle);
  int holds = 0;
  EXPECT_EQ(
      reprosum_verify_function(made.spec, &function, nullptr, nullptr, nullptr, &holds, nullptr),
      REPROSUM_OK);
  EXPECT_EQ(holds, 1);
}

TEST(CaptureC, AFunctionThatFailsIsRefused) {
  Backwards backwards;
  backwards.fails_after = 40;
  const reprosum_function function = backwards.described();
  Spec made;
  EXPECT_NE(reprosum_capture_function(&function, kShort, nullptr, nullptr, &made.spec, nullptr),
            REPROSUM_OK);
  EXPECT_NE(std::string(reprosum_capture_last_error()).find("backwards failed"), std::string::npos)
      << reprosum_capture_last_error();
}

TEST(CaptureC, AFunctionThatCannotBeIsABadArgument) {
  Backwards backwards;
  Spec made;
  const auto status = [&](const reprosum_function* function, const char* const* options = nullptr) {
    return reprosum_capture_function(function, options, nullptr, nullptr, &made.spec, nullptr);
  };
  EXPECT_EQ(status(nullptr), REPROSUM_BAD_ARGUMENT);
  for (const int fault : {0, 1, 2, 3}) {
    reprosum_function function = backwards.described();
    if (fault == 0) function.name = "";
    if (fault == 1) function.call = nullptr;
    if (fault == 2) function.sums = 0;
    if (fault == 3) function.facts = "no fact";
    EXPECT_EQ(status(&function), REPROSUM_BAD_ARGUMENT) << fault;
  }
  const reprosum_function function = backwards.described();
  constexpr const char* kThreads[] = {"threads", "1,2", nullptr};
  EXPECT_EQ(status(&function, kThreads), REPROSUM_BAD_ARGUMENT);
}

}  // namespace
}  // namespace reprosum::capture

// libreprosum_blas.so as a whole BLAS: what it forwards, with which arguments, and its variables.
// Behind it is fake_blas.c, which says how it was called.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "command.h"

namespace reprosum {
namespace {

constexpr char kBacked[] = "REPROSUM_BACKING=" FAKE_BLAS " ";
// What is said of forwarded routines is a matter of its own.
constexpr char kFake[] = "REPROSUM_BACKING=" FAKE_BLAS " REPROSUM_ON_FORWARDED=allow ";
constexpr char kPreload[] = REPROSUM_BLAS_LIBRARY;
#ifdef __SANITIZE_ADDRESS__
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif
constexpr char kNoPreload[] = "a sanitizer's runtime would have to be preloaded as well";

samples::Said call(const std::string& environment, const std::string& symbols,
                   const std::string& program = FAKE_CALLER) {
  return samples::run("env -u REPROSUM_SPEC " + environment + " " + program + " " + kPreload + " " +
                      symbols);
}

// A line of the summary.
std::string row(const char* name, int replayed, int exact, int forwarded, int refused) {
  char text[120];
  std::snprintf(text, sizeof text, "REPROSUM %-20s %12d %12d %12d %12d\n", name, replayed, exact,
                forwarded, refused);
  return text;
}

TEST(DropIn, ForwardsEveryArgument) {
  const samples::Said said =
      call(std::string(kFake) + "REPROSUM_MODE=forward",
           "ddot_ cblas_ddot dgemv_ cblas_dgemv dgemm_ cblas_dgemm dtrsm_ dtrsm_");
  EXPECT_EQ(said.text,
            "fake ddot_ 2 1 1 11 21\nddot_ 101\n"
            "fake cblas_ddot\nfake ddot_ 2 1 1 11 21\ncblas_ddot 101\n"
            "fake dgemv_ T 2 2 0.5 11 3 21 1 0.25 2 length 1\ndgemv_ 103\n"
            "fake cblas_dgemv 101 112 2 2 0.5 11 3 21 1 0.25 2\ncblas_dgemv 104\n"
            "fake dgemm_ N t 2 1 2 0.5 11 2 21 3 0.25 2 lengths 1 1\ndgemm_ 105\n"
            "fake cblas_dgemm 102 111 112 2 1 2 0.5 11 2 21 3 0.25 2\ncblas_dgemm 106\n"
            "fake dtrsm_ LUND 2 1 0.5 11 2 21 2 lengths 1 1 1 1\ndtrsm_ 31\n"
            "fake dtrsm_ LUND 2 1 0.5 11 2 21 2 lengths 1 1 1 1\ndtrsm_ 31\n");
  EXPECT_EQ(said.exit_code, 0);
}

// Registers and a hidden argument alike: a trampoline knows no signature.
TEST(DropIn, ComplexResultsPassInBothConventions) {
  EXPECT_EQ(call(kFake, "zdotc_ cdotc_ zdotc_").text, "zdotc_ 3 6\ncdotc_ 9 12\nzdotc_ 3 6\n");
}

TEST(DropIn, WideIntegersReachTheTwinOfTheBacking) {
  const samples::Said said = call(std::string(kFake) + "REPROSUM_MODE=forward", "ddot_64_ ddot_64");
  EXPECT_EQ(said.text,
            "fake ddot_64 4294967298 1 1 11 21\nddot_64_ 102\n"
            "fake ddot_64 4294967298 1 1 11 21\nddot_64 102\n");
}

TEST(DropIn, NamesOfWheelsReachABackingThatHasThePlainOnes) {
  const samples::Said said = call(std::string(kFake) + "REPROSUM_MODE=forward",
                                  "scipy_ddot_ scipy_cblas_ddot scipy_zdotc_");
  EXPECT_EQ(said.text,
            "fake ddot_ 2 1 1 11 21\nscipy_ddot_ 101\n"
            "fake cblas_ddot\nfake ddot_ 2 1 1 11 21\nscipy_cblas_ddot 101\nscipy_zdotc_ 3 6\n");
}

TEST(DropIn, WithoutATwinTheCallIsRefused) {
  const samples::Said said = call(kFake, "strsm_64_", FAKE_CALLER_WITH_XERBLA);
  EXPECT_NE(said.text.find("libreprosum_blas: strsm_64_ cannot be forwarded: REPROSUM_BACKING = "),
            std::string::npos)
      << said.text;
  EXPECT_NE(said.text.find(" has no \"strsm_64_\" or \"strsm_64\" (xerbla argument 0: all "
                           "arguments are valid)\nxerbla STRSM  0\n"),
            std::string::npos)
      << said.text;
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(call(kFake, "strsm_64_").exit_code, EXIT_FAILURE);
}

TEST(DropIn, UncoveredIsAnErrorUnlessForwardingIsAskedFor) {
  for (const std::string symbol : {"dgemm_", "cblas_dgemv", "ddot_"}) {
    const samples::Said error = call(kFake, symbol);
    EXPECT_EQ(error.exit_code, EXIT_FAILURE) << error.text;
    EXPECT_NE(error.text.find("cannot be replayed: REPROSUM_SPEC names no spec"), std::string::npos)
        << error.text;
    EXPECT_EQ(error.text.find("fake"), std::string::npos) << error.text;
    const samples::Said forwarded =
        call(std::string(kFake) + "REPROSUM_ON_UNCOVERED=forward", symbol);
    EXPECT_EQ(forwarded.exit_code, 0);
    EXPECT_EQ(forwarded.text.find("fake " + symbol + " "), 0u) << forwarded.text;
  }
}

// The same everywhere without a spec: what a spec could have, and what only the exact mode has.
TEST(DropIn, UncoveredIsComputedExactlyIfThatIsAskedFor) {
  const samples::Said said = call(std::string(kBacked) + "REPROSUM_ON_UNCOVERED=exact",
                                  "ddot_ cblas_dgemv dgemm_ scipy_ddot_ cblas_daxpy");
  // dgemv: 0.5 * (11 * 21 + 14 * 22) + 0.25 * 31; dgemm: 0.5 * (11 * 21 + 13 * 24) + 0.25 * 31
  EXPECT_EQ(said.text,
            "ddot_ 495\ncblas_dgemv 277.25\ndgemm_ 279.25\nscipy_ddot_ 495\ncblas_daxpy 36.5\n");
  const samples::Said counted =
      call(std::string(kBacked) + "REPROSUM_VERBOSE=1 REPROSUM_ON_UNCOVERED=exact",
           "ddot_ ddot_ cblas_daxpy dgemm_bad");
  EXPECT_NE(counted.text.find("us exact\n"), std::string::npos) << counted.text;
  for (const std::string& line :
       {row("ddot_", 0, 2, 0, 0), row("cblas_daxpy", 0, 1, 0, 0), row("dgemm_", 0, 0, 0, 1)})
    EXPECT_NE(counted.text.find(line), std::string::npos) << line << counted.text;
  // A spec that cannot be used is no reason to compute something else.
  EXPECT_EQ(call("REPROSUM_ON_UNCOVERED=exact REPROSUM_SPEC=/nonexistent.json", "ddot_").exit_code,
            EXIT_FAILURE);
  // In forward mode nothing is uncovered.
  EXPECT_EQ(
      call(std::string(kBacked) + "REPROSUM_MODE=forward REPROSUM_ON_UNCOVERED=exact", "ddot_")
          .text,
      "fake ddot_ 2 1 1 11 21\nddot_ 101\n");
}

TEST(DropIn, EachForwardedRoutineIsNamedOnce) {
  const std::string line = " is forwarded: its bits are those of the library behind, here and now";
  const std::string end = "; REPROSUM_ON_FORWARDED=allow does not say so, error refuses the call\n";
  const std::string called = "dtrsm_ dtrsm_ scipy_dtrsm_ zdotc_ isamax_ isamax_";
  const std::string quiet = call(kFake, called).text;
  for (const std::string mode : {"", "REPROSUM_ON_FORWARDED=warn ", "REPROSUM_MODE=exact "}) {
    std::string text = call(kBacked + mode, called).text;
    std::vector<std::string> wanted = {"ZDOTC" + line + end};
    if (mode != "REPROSUM_MODE=exact ")  // which computes it
      wanted.push_back("DTRSM" + line + " (REPROSUM_ON_UNCOVERED=exact computes it)" + end);
    for (const std::string& routine : wanted) {
      const std::string said = "libreprosum_blas: " + routine;
      const std::size_t at = text.find(said);
      ASSERT_NE(at, std::string::npos) << text;
      text.erase(at, said.size());
    }
    EXPECT_EQ(text, quiet);  // once each, and nothing of a search for a maximum
  }
  EXPECT_EQ(call(std::string(kBacked) + "REPROSUM_MODE=forward", called).text, quiet);
  const std::string product =
      call(std::string(kBacked) + "REPROSUM_ON_UNCOVERED=forward", "dgemm_ cblas_dgemm dgemm_")
          .text;
  EXPECT_EQ(product.find("libreprosum_blas: DGEMM" + line), 0u) << product;
  EXPECT_EQ(product.find(line, 40), std::string::npos) << product;
}

TEST(DropIn, ForwardedRoutinesAreRefusedIfThatIsAskedFor) {
  const std::string error = std::string(kBacked) + "REPROSUM_ON_FORWARDED=error ";
  const samples::Said said = call(error, "dtrsm_ zdotc_ isamax_", FAKE_CALLER_WITH_XERBLA);
  for (const std::string line :
       {"libreprosum_blas: dtrsm_ cannot be forwarded: REPROSUM_ON_FORWARDED=error, and its bits "
        "would be those of the library behind (xerbla argument 0: all arguments are valid)\n"
        "xerbla DTRSM  0\n",
        "xerbla ZDOTC  0\n", "isamax_ 2\n"})
    EXPECT_NE(said.text.find(line), std::string::npos) << line << said.text;
  const samples::Said product =
      call(error + "REPROSUM_ON_UNCOVERED=forward", "dgemm_", FAKE_CALLER_WITH_XERBLA);
  EXPECT_NE(product.text.find("xerbla DGEMM  0\ndgemm_ nan\n"), std::string::npos) << product.text;
  EXPECT_EQ(call(error + "REPROSUM_MODE=forward", "dtrsm_").text.find("fake dtrsm_"), 0u);
}

TEST(DropIn, AnUnusableSpecIsNeverForwarded) {
  const samples::Said said =
      call(std::string(kFake) + "REPROSUM_ON_UNCOVERED=forward REPROSUM_SPEC=/nonexistent.json",
           "ddot_");
  EXPECT_EQ(said.exit_code, EXIT_FAILURE);
  EXPECT_NE(said.text.find("/nonexistent.json"), std::string::npos) << said.text;
}

// error_exits_test.cpp has all of them, over real libraries.
TEST(DropIn, ForbiddenArgumentsAreTheBackings) {
  for (const std::string mode : {"replay", "exact"}) {
    const std::string served = std::string(kFake) + "REPROSUM_MODE=" + mode;
    EXPECT_EQ(call(served, "dgemm_bad").text,
              "fake dgemm_ N N 2 1 2 0.5 11 2 21 3 0.25 1 lengths 1 1\ndgemm_bad 105\n");
    EXPECT_EQ(call(served, "cblas_dgemm_bad").text,
              "fake cblas_dgemm 101 111 111 2 1 3 0.5 11 2 21 1 0.25 1\ncblas_dgemm_bad 106\n");
  }
}

// Fortran's number, of a row-major call that of the call with A and B swapped.
TEST(DropIn, ForbiddenArgumentsGoToXerblaWhereNoBlasStandsBehind) {
  EXPECT_EQ(call("", "dgemm_bad", FAKE_CALLER_WITH_XERBLA).text,
            "xerbla DGEMM  13\ndgemm_bad 31\n");
  EXPECT_EQ(call("", "cblas_dgemm_bad", FAKE_CALLER_WITH_XERBLA).text,
            "xerbla DGEMM  10\ncblas_dgemm_bad 31\n");
}

// OpenBLAS computes with this letter, the reference refuses it: no spec and no exact routine may
// leave it to the backing in silence.
TEST(DropIn, DisputedArgumentsAreForwardedOnlyIfThatIsAskedFor) {
  for (const std::string mode : {"replay", "exact"}) {
    const samples::Said said =
        call(std::string(kFake) + "REPROSUM_MODE=" + mode, "dgemm_odd", FAKE_CALLER_WITH_XERBLA);
    EXPECT_EQ(said.text.find("fake"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("an argument is not of the standard"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("xerbla DGEMM  1\ndgemm_odd 31\n"), std::string::npos) << said.text;
  }
  EXPECT_EQ(call(std::string(kFake) + "REPROSUM_ON_UNCOVERED=forward", "dgemm_odd").text,
            "fake dgemm_ R N 2 1 2 0.5 11 2 21 3 0.25 2 lengths 1 1\ndgemm_odd 105\n");
}

// A result by address would otherwise keep its old value.
TEST(DropIn, RefusedResultsAreNaN) {
  const samples::Said said =
      call("", "cblas_zdotu_sub cblas_zdotc_sub64_ drotg_ cblas_drotg cblas_drotmg 2>/dev/null",
           FAKE_CALLER_WITH_XERBLA);
  for (const char* const line :
       {"cblas_zdotu_sub nan\ncblas_zdotu_sub nan\n", "cblas_zdotc_sub64_ nan\n",
        "\ndrotg_ nan nan nan\ndrotg_ nan\n", "\ncblas_drotg nan nan nan\n",
        "\ncblas_drotmg nan nan nan nan\ncblas_drotmg nan\n"})
    EXPECT_NE(said.text.find(line), std::string::npos) << line << said.text;
}

TEST(DropIn, WhatTheExactModeCannotComputeIsNaN) {
  const samples::Said said = call("REPROSUM_MODE=exact", "dasum_", FAKE_CALLER_WITH_XERBLA);
  EXPECT_EQ(said.text,
            "libreprosum_blas: DASUM(n = 2, incx = 1) cannot be computed: x is null, but n > 0 "
            "(xerbla argument 0: all arguments are valid)\n"
            "xerbla DASUM  0\ndasum_ nan\n");
}

// x2 = 1 - 3 * (1/3): with the rounded 1/3 it is 2^-54, truly 0. A zero pivot has no true solution.
TEST(DropIn, TheCertifiedSolutionIsAChoice) {
  const samples::Said steps = call("REPROSUM_MODE=exact", "cblas_dtrsv", FAKE_CALLER_WITH_XERBLA);
  EXPECT_EQ(steps.text, "cblas_dtrsv 5.55112e-17\ncblas_dtrsv inf\n");
  const samples::Said certified =
      call("REPROSUM_MODE=exact REPROSUM_TRSV=certified", "cblas_dtrsv", FAKE_CALLER_WITH_XERBLA);
  EXPECT_EQ(certified.text.find("cblas_dtrsv 0\nlibreprosum_blas: DTRSV(n = 2, lda = 2) cannot be "
                                "computed: "),
            0u)
      << certified.text;
  EXPECT_NE(certified.text.find("xerbla DTRSV  0\ncblas_dtrsv nan\n"), std::string::npos)
      << certified.text;
}

TEST(DropIn, ABadValueOfAVariableIsRefused) {
  for (const auto& [setting, said] :
       {std::pair{"REPROSUM_MODE=Exact",
                  "REPROSUM_MODE = \"Exact\" is not replay, forward or exact"},
        {"REPROSUM_ON_UNCOVERED=ignore",
         "REPROSUM_ON_UNCOVERED = \"ignore\" is not error, forward or exact"},
        {"REPROSUM_ON_FORWARDED=no", "REPROSUM_ON_FORWARDED = \"no\" is not warn, allow or error"},
        {"REPROSUM_TRSV=exact", "REPROSUM_TRSV = \"exact\" is not substitution or certified"},
        {"REPROSUM_NUM_THREADS=0", "REPROSUM_NUM_THREADS = \"0\" is not a number from 1 to 1024"},
        {"REPROSUM_NUM_THREADS=2x", "REPROSUM_NUM_THREADS = \"2x\" is not a number"},
        {"REPROSUM_ON_REFUSED=exit", "REPROSUM_ON_REFUSED = \"exit\" is not xerbla or abort"},
        {"REPROSUM_BACKING_BIND=lazy", "REPROSUM_BACKING_BIND = \"lazy\" is not global or deep"}}) {
    for (const std::string symbol : {"dtrsm_", "ddot_", "dgemm_"}) {
      const samples::Said bad = call(std::string(kFake) + setting, symbol);
      EXPECT_EQ(bad.exit_code, EXIT_FAILURE) << setting;
      EXPECT_NE(bad.text.find(said), std::string::npos) << bad.text;
      EXPECT_EQ(bad.text.find("fake"), std::string::npos) << bad.text;
    }
  }
  EXPECT_EQ(call(std::string(kFake) + "REPROSUM_MODE= REPROSUM_NUM_THREADS=2", "dtrsm_").exit_code,
            0);
}

// NaN in the results and exit code 0 is what a job's script does not notice.
TEST(DropIn, ARefusedCallEndsTheProcessIfThatIsAskedFor) {
  const std::string replayed[] = {"ddot_", "cblas_ddot", "cblas_dgemv", "dgemm_"};
  const std::pair<std::string, std::string> forwarded[] = {
      {"REPROSUM_ON_FORWARDED=error", "dtrsm_"}, {"REPROSUM_MODE=exactly", "zdotc_"}};
  std::vector<std::pair<std::string, std::string>> refused(std::begin(forwarded),
                                                           std::end(forwarded));
  for (const char* const asked : {"REPROSUM_SPEC=/nonexistent.json", "REPROSUM_ON_UNCOVERED=error"})
    for (const std::string& symbol : replayed) refused.emplace_back(asked, symbol);
  for (const auto& [refusing, symbol] : refused) {
    const std::string asked = std::string(kBacked) + refusing;
    const samples::Said goes_on = call(asked, symbol, FAKE_CALLER_WITH_XERBLA);
    EXPECT_EQ(goes_on.exit_code, 0) << goes_on.text;
    EXPECT_NE(goes_on.text.find("xerbla"), std::string::npos) << goes_on.text;
    const samples::Said ended =
        call(asked + " REPROSUM_ON_REFUSED=abort", symbol, FAKE_CALLER_WITH_XERBLA);
    EXPECT_NE(ended.exit_code, 0) << ended.text;
    EXPECT_NE(ended.text.find("; REPROSUM_ON_REFUSED=abort ends the process\n"), std::string::npos)
        << ended.text;
    EXPECT_EQ(ended.text.find("xerbla"), std::string::npos) << ended.text;
  }
  // An argument that BLAS forbids is no refusal: BLAS says what becomes of it.
  EXPECT_EQ(call("REPROSUM_ON_REFUSED=abort", "dgemm_bad", FAKE_CALLER_WITH_XERBLA).exit_code, 0);
}

// What is said of a variable changes no call, and is said once, whoever calls.
TEST(DropIn, WhatNothingReadsIsSaidOnceAndRefusesNothing) {
  const std::string forward = std::string(kFake) + "REPROSUM_ON_UNCOVERED=forward ";
  const std::string called = "ddot_ dtrsm_ dgemm_ zdotc_";
  const std::string quiet = call(forward, called).text;
  for (const auto& [setting, said] :
       {std::pair{"REPROSUM_VERBOSE=2", "REPROSUM_VERBOSE = \"2\" is not 0, 1 or summary"},
        {"REPROSUM_MODES=exact",
         "REPROSUM_MODES is set, and no variable of that name is read; did "
         "you mean REPROSUM_MODE?"}}) {
    std::string text = call(forward + setting, called).text;
    const std::size_t at = text.find(said), start = text.rfind("libreprosum_blas: ", at);
    ASSERT_NE(at, std::string::npos) << text;
    text.erase(start, text.find('\n', at) + 1 - start);
    EXPECT_EQ(text, quiet);
    EXPECT_EQ(call(forward + setting, "").text, "");
  }
}

TEST(DropIn, TheSummaryCanStandAlone) {
  const std::string forward = std::string(kFake) + "REPROSUM_ON_UNCOVERED=forward ";
  std::string text = call(forward + "REPROSUM_VERBOSE=summary", "dgemm_ dtrsm_ dtrsm_").text;
  const std::string quiet = call(forward, "dgemm_ dtrsm_ dtrsm_").text;
  EXPECT_EQ(text.find(" forwarded\n"), std::string::npos) << text;
  for (const std::string& line : {row("dgemm_", 0, 0, 1, 0), row("dtrsm_", 0, 0, 2, 0)})
    EXPECT_NE(text.find(line), std::string::npos) << text;
  const std::size_t at = text.find("REPROSUM summary");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.substr(0, at), quiet);
}

TEST(DropIn, VerbosePrintsEveryCallAndASummary) {
  const samples::Said said =
      call(std::string(kFake) + "REPROSUM_VERBOSE=1 REPROSUM_ON_UNCOVERED=forward",
           "dtrsm_ dtrsm_ dgemm_ strsm_64_", FAKE_CALLER_WITH_XERBLA);
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (std::size_t at = said.text.find(part); at != std::string::npos;
         at = said.text.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("REPROSUM dtrsm_ forwarded\nfake dtrsm_"), 2) << said.text;
  EXPECT_EQ(count("REPROSUM dgemm_(N,t,2,1,2,0.5,0x"), 1) << said.text;
  EXPECT_EQ(count("us forwarded\n"), 1) << said.text;
  EXPECT_EQ(count("REPROSUM summary"), 1) << said.text;
  EXPECT_EQ(count(row("dtrsm_", 0, 0, 2, 0)), 1) << said.text;
  EXPECT_EQ(count(row("dgemm_", 0, 0, 1, 0)), 1) << said.text;
  EXPECT_EQ(count(row("strsm_64_", 0, 0, 0, 1)), 1) << said.text;
  EXPECT_EQ(call(std::string(kFake) + "REPROSUM_VERBOSE=1", "").text, "");
}

// The first calls of all threads meet in the search for the symbol; none is lost in the count.
TEST(DropIn, ManyThreadsCallAtOnce) {
  const std::string run = std::string(THREAD_CALLER " ") + kPreload;
  for (int round = 0; round < 5; ++round)
    EXPECT_EQ(samples::run("env " + std::string(kFake) + run + " 16 2000").exit_code, 0);
  const samples::Said said =
      samples::run("env REPROSUM_VERBOSE=1 " + std::string(kFake) + run + " 16 50 2>&1 | tail -2");
  EXPECT_EQ(said.text, row("cdotc_", 0, 0, 800, 0) + row("zdotc_", 0, 0, 800, 0));
}

TEST(DropIn, VerboseNamesTheKernel) {
  const std::string path = testing::TempDir() + "drop_in_" + std::to_string(getpid()) + ".json";
  samples::write_spec(path, samples::plain_spec());
  const samples::Said said =
      samples::run("env REPROSUM_VERBOSE=1 REPROSUM_ISA=interpreter REPROSUM_SPEC=" + path +
                   " " FAKE_CALLER " " + kPreload + " ddot_");
  std::remove(path.c_str());
  EXPECT_NE(said.text.find("us replayed "), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("interpreter threads=1\n"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("ddot_ 495\n"), std::string::npos) << said.text;  // 11 * 21 + 12 * 22
}

TEST(DropIn, ARefusalNamesTheVector) {
  const std::string path = testing::TempDir() + "drop_in_" + std::to_string(getpid()) + ".json";
  samples::write_spec(path, samples::plain_spec());
  const samples::Said said = samples::run("env REPROSUM_ISA=interpreter REPROSUM_SPEC=" + path +
                                          " " FAKE_CALLER_WITH_XERBLA " " + kPreload + " ddot_bad");
  std::remove(path.c_str());
  EXPECT_NE(said.text.find("x is not aligned"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("xerbla DDOT"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find(" 2\n"), std::string::npos) << said.text;
}

TEST(DropIn, NoBackingIsSaid) {
  const samples::Said none = call("", "dtrsm_");
  EXPECT_EQ(none.exit_code, EXIT_FAILURE);
  EXPECT_NE(none.text.find("no other library in the process has \"dtrsm_\"; name a BLAS in "
                           "REPROSUM_BACKING"),
            std::string::npos)
      << none.text;
  const samples::Said missing = call("REPROSUM_BACKING=/nonexistent.so", "dtrsm_");
  EXPECT_EQ(missing.exit_code, EXIT_FAILURE);
  EXPECT_NE(missing.text.find("REPROSUM_BACKING: /nonexistent.so"), std::string::npos)
      << missing.text;
}

// Its dtrsm_ would read 64 bits where the caller has 32.
TEST(DropIn, ABackingWithWideIntegersIsRefused) {
  const samples::Said said = call("REPROSUM_BACKING=" FAKE_WIDE_BLAS, "dtrsm_");
  EXPECT_EQ(said.exit_code, EXIT_FAILURE);
  EXPECT_NE(said.text.find("takes 64-bit integers under the names of 32-bit ones"),
            std::string::npos)
      << said.text;
}

// ddot_ of a program whose BLAS has 64-bit integers under that name: read with 32, n would be
// wrong. What is forwarded untouched goes on (forward_test.cpp has all of it).
TEST(DropIn, AProgramWithWideIntegersUnderNarrowNamesIsRefused) {
  if (kIsSanitized) GTEST_SKIP() << kNoPreload;
  const std::string both = " LD_PRELOAD='" REPROSUM_BLAS_LIBRARY " " FAKE_WIDE_BLAS "' " FAKE_CALLER
                           " " REPROSUM_BLAS_LIBRARY " ";
  for (const char* const mode :
       {"REPROSUM_MODE=exact", "REPROSUM_MODE=replay", "REPROSUM_ON_UNCOVERED=forward"}) {
    const samples::Said said = samples::run("env " + std::string(mode) + both + "ddot_");
    EXPECT_EQ(said.exit_code, EXIT_FAILURE) << mode;
    EXPECT_NE(said.text.find("takes 64-bit integers under names without 64"), std::string::npos)
        << mode << ": " << said.text;
  }
  const samples::Said forwarded = samples::run("env REPROSUM_MODE=forward" + both + "dtrsm_");
  EXPECT_EQ(forwarded.text.find("wide dtrsm_"), 0u) << forwarded.text;
  const samples::Said named =
      samples::run("env REPROSUM_MODE=forward REPROSUM_BACKING=" FAKE_BLAS + both + "ddot_");
  EXPECT_EQ(named.text.find("fake ddot_ "), 0u) << named.text;
  const samples::Said wheel = samples::run("env REPROSUM_MODE=exact" + both + "scipy_ddot_");
  EXPECT_EQ(wheel.text.find("scipy_ddot_ 495"), 0u) << wheel.text;
  const samples::Said wide = samples::run("env REPROSUM_MODE=forward" + both + "ddot_64_");
  EXPECT_EQ(wide.text.find("fake ddot_64 "), 0u) << wide.text;
  const samples::Said exact = samples::run("env REPROSUM_MODE=exact" + both + "dasum_");
  EXPECT_NE(exact.text.find("takes 64-bit integers"), std::string::npos) << exact.text;
}

// A BLAS that only a module needs, and that reads 64 bits where the caller has 32, is passed over.
TEST(DropIn, ALoadedLibraryWithWideIntegersIsPassedOver) {
  const auto run = [](const std::string& loaded) {
    return samples::run("env REPROSUM_MODE=forward FAKE_LOADED='" + loaded +
                        "' " FAKE_CALLER " " REPROSUM_BLAS_LIBRARY " dtrsm_");
  };
  EXPECT_NE(
      run(FAKE_WIDE_BLAS).text.find("has \"dtrsm_\" with 32-bit integers, but " FAKE_WIDE_BLAS),
      std::string::npos);
  EXPECT_EQ(run(FAKE_WIDE_BLAS ":" FAKE_BLAS).text.find("fake dtrsm_"), 0u);
  EXPECT_EQ(run(FAKE_BLAS).text.find("fake dtrsm_"), 0u);
}

// But for an object that needs it itself, whatever else is there.
TEST(DropIn, AModuleReachesItsOwnLibraryWithWideIntegers) {
  if (kIsSanitized) GTEST_SKIP() << kNoPreload;
  const std::string run = "env REPROSUM_MODE=forward LD_PRELOAD=" REPROSUM_BLAS_LIBRARY " ";
  const samples::Said own = samples::run(run + FAKE_CALLER " " FAKE_WIDE_BLAS " fake_calls_itself");
  EXPECT_EQ(own.text.find("wide dtrsm_ LUND 2 1 0.5 11 2 21 2"), 0u) << own.text;
  const samples::Said both =
      samples::run(run + "FAKE_LOADED=" FAKE_WIDE_BLAS ":" FAKE_BLAS " " FAKE_CALLER
                         " " FAKE_WIDE_BLAS " fake_calls_itself fake_calls_itself");
  EXPECT_EQ(both.text.find("wide dtrsm_ LUND 2 1 0.5 11 2 21 2"), 0u) << both.text;
  const samples::Said other = samples::run(run + "FAKE_LOADED=" FAKE_WIDE_BLAS " " FAKE_CALLER
                                                 " " FAKE_BLAS " fake_calls_itself");
  EXPECT_EQ(other.text.find("fake dtrsm_ LUND 2 1 0.5 11 2 21 2"), 0u) << other.text;
}

// A module that brings its BLAS along may be unloaded; where calls went before, they go on to.
TEST(DropIn, ALibraryThatWasCalledStays) {
  const samples::Said said =
      samples::run("env REPROSUM_MODE=forward FAKE_LOADED=" FAKE_BLAS " " FAKE_CALLER
                   " " REPROSUM_BLAS_LIBRARY " ddot_ dtrsm_ close dtrsm_ ddot_");
  EXPECT_EQ(said.exit_code, 0) << said.text;
  EXPECT_NE(said.text.rfind("fake ddot_"), said.text.find("fake ddot_")) << said.text;
}

// A BLAS spells its ILP64 names in one of two ways, a wheel in one.
TEST(DropIn, NamesOfWheelsReachEitherSpelling) {
  const samples::Said said = call("REPROSUM_MODE=forward " + std::string(kFake), "scipy_ddot_64_");
  EXPECT_EQ(said.text.find("fake ddot_64 "), 0u) << said.text;
}

// Its isamax_ calls another of its names, which the preloaded library has.
TEST(DropIn, ABackingThatComesByHereIsRefusedAllTheSame) {
  if (kIsSanitized) GTEST_SKIP() << kNoPreload;
  const samples::Said said = samples::run(
      "env REPROSUM_MODE=forward REPROSUM_BACKING=" FAKE_WIDE_BLAS
      " LD_PRELOAD=" REPROSUM_BLAS_LIBRARY " " FAKE_CALLER " " REPROSUM_BLAS_LIBRARY " ddot_");
  EXPECT_NE(said.text.find("takes 64-bit integers under the names of 32-bit ones"),
            std::string::npos)
      << said.text;
}

// A relative path means what it meant when the library was loaded.
TEST(DropIn, RelativePathsAreThoseOfTheStart) {
  const std::string name = "drop_in_" + std::to_string(getpid());
  const std::string folder = testing::TempDir() + name;
  ASSERT_EQ(
      samples::run("mkdir " + folder + " && cp " FAKE_BLAS " " + folder + "/fake.so").exit_code, 0);
  samples::write_spec(folder + "/spec.json", samples::plain_spec());
  const std::string start = "cd " + folder + " && env REPROSUM_ISA=interpreter ";
  const samples::Said replayed =
      samples::run(start + "REPROSUM_SPEC=spec.json " FAKE_CALLER " " + kPreload + " chdir ddot_");
  EXPECT_EQ(replayed.text, "ddot_ 495\n");
  const samples::Said forwarded =
      samples::run(start + "REPROSUM_MODE=forward REPROSUM_BACKING=./fake.so " FAKE_CALLER " " +
                   kPreload + " chdir dtrsm_");
  EXPECT_EQ(forwarded.text.find("fake dtrsm_"), 0u) << forwarded.text;
  // A program that the process starts from elsewhere is in a directory of its own, and a missing
  // file is named by its whole path.
  const samples::Said child = samples::run(start + "REPROSUM_SPEC=spec.json sh -c 'cd / && " +
                                           FAKE_CALLER " " + kPreload + " ddot_'");
  EXPECT_NE(child.text.find("cannot read /"), std::string::npos) << child.text;
  samples::run("rm -r " + folder);
}

// Whoever opens a FIFO waits for its writer.
TEST(DropIn, NeverWaitsForAFile) {
  const std::string path = testing::TempDir() + "drop_in_fifo_" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const samples::Said spec = samples::run("env REPROSUM_SPEC=" + path +
                                          " timeout 20 " FAKE_CALLER " " + kPreload + " ddot_");
  EXPECT_EQ(spec.exit_code, EXIT_FAILURE) << spec.text;
  EXPECT_NE(spec.text.find(": it is a FIFO, not a regular file"), std::string::npos) << spec.text;
  const samples::Said backing = samples::run("env REPROSUM_BACKING=" + path +
                                             " timeout 20 " FAKE_CALLER " " + kPreload + " dtrsm_");
  EXPECT_EQ(backing.exit_code, EXIT_FAILURE) << backing.text;
  EXPECT_NE(backing.text.find("is a FIFO"), std::string::npos) << backing.text;
  std::remove(path.c_str());
}

TEST(DropIn, NothingCommandsTheTerminal) {
  const samples::Said mode = call("REPROSUM_MODE=\"$(printf '\\033[31m')\"", "dtrsm_");
  EXPECT_NE(mode.text.find("\\u001b[31m"), std::string::npos) << mode.text;
}

// A circle of trampolines would never end.
TEST(DropIn, NeverForwardsToItself) {
  for (const std::string backing : {kPreload, REPROSUM_LIBBLAS}) {
    const samples::Said said = samples::run("env REPROSUM_BACKING=" + backing +
                                            " timeout 60 " FAKE_CALLER " " + kPreload + " dtrsm_");
    EXPECT_EQ(said.exit_code, EXIT_FAILURE) << said.text;
    EXPECT_NE(said.text.find("is this library, or needs it"), std::string::npos) << said.text;
  }
}

}  // namespace
}  // namespace reprosum

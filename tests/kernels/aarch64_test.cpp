// The same emitter for another machine: objects for NEON and SVE, linked with a cross compiler and
// run in an emulator, give the bits that this machine's kernels and the interpreter give.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/compile_thread.h"
#include "spec/surface.h"
#include "tests/kernels/captured_orders.h"
#include "tests/kernels/cross_cases.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"
#include "tests/paths.h"

namespace reprosum::kernels {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTools =
    "(qemu-aarch64 --version && aarch64-linux-gnu-g++ --version) > /dev/null 2>&1";

int run(const std::string& command) { return std::system(command.c_str()); }

std::string row_text(const CrossRow& row, const std::string& function) {
  std::string text =
      "  {static_cast<CrossRow::Kind>(" + std::to_string(static_cast<int>(row.kind)) + ")";
  for (const std::int64_t number :
       {std::int64_t{row.is_f32}, std::int64_t{row.is_wide}, std::int64_t{row.has_y},
        std::int64_t{row.shares_y}, std::int64_t{row.seed}, std::int64_t{row.first_length},
        std::int64_t{row.last_length}, std::int64_t{row.rows}, std::int64_t{row.down},
        std::int64_t{row.columns}, std::int64_t{row.n}, row.q, row.r})
    text += ", " + std::to_string(number);
  return text + ", " + function + "},\n";
}

void write_program(const fs::path& directory, const test::CrossCases& cases) {
  Objects members;
  for (const AheadObject& object : cases.objects().objects())
    members.emplace_back(object.prefix + ".o", object.bytes);
  std::ofstream(directory / "kernels.a", std::ios::binary)
      << backend(cases.objects().isa()).archive(members);
  std::string declared, rows;
  for (const test::CrossCase& one : cases.all()) {
    declared += "extern \"C\" void " + one.function + "();\n";
    rows += row_text(one.row, one.function);
  }
  std::ofstream(directory / "rows.cpp")
      << "#include \"cross_rows.h\"\n"
      << declared << "const CrossRow cross_rows[] = {\n"
      << rows << "};\nconst int cross_row_count = " << cases.all().size() << ";\n";
}

class AArch64 : public testing::TestWithParam<std::pair<Isa, int>> {};  // bits of the vectors there

// Makes the cases, runs them in the emulator and compares.
template <class Fill>
void check(std::pair<Isa, int> machine, const Fill& fill) {
  if (run(kTools) != 0) GTEST_SKIP() << "no cross compiler or no emulator";
  if (host_isas().size() == 1) GTEST_SKIP() << "nothing is generated on this host";
  const auto [isa, vector_bits] = machine;
  test::CrossCases cases(isa);
  on_compile_thread([&] { fill(cases); });
  std::string at = (fs::temp_directory_path() / "reprosum-aarch64-XXXXXX").string();
  ASSERT_NE(::mkdtemp(at.data()), nullptr);
  write_program(at, cases);
  const std::string sources = REPROSUM_SOURCE_DIR "/tests/kernels";
  ASSERT_EQ(
      run("aarch64-linux-gnu-g++ -static -O1 -std=c++20 -ffp-contract=off -I " + sources + " -o " +
          at + "/main " + sources + "/cross_driver.cpp " + at + "/rows.cpp " + at + "/kernels.a"),
      0);
  ASSERT_EQ(run("qemu-aarch64 -cpu max,sve-default-vector-length=" +
                std::to_string(vector_bits / 8) + " " + at + "/main > " + at + "/out"),
            0);
  std::ifstream out(at + "/out");
  std::size_t values = 0;
  std::map<std::string, std::size_t> kinds{
      {"single", 0}, {"strided", 0}, {"batch", 0}, {"tile", 0}, {"by rows", 0}};
  static constexpr const char* kKinds[] = {"single", "strided", "batch", "tile"};
  for (const test::CrossCase& one : cases.all()) {
    ++kinds[one.row.kind == CrossRow::tile && one.row.rows > 0 ? "by rows" : kKinds[one.row.kind]];
    for (std::size_t k = 0; k < one.wanted.size(); ++k, ++values) {
      std::string line;
      ASSERT_TRUE(std::getline(out, line)) << one.name;
      ASSERT_EQ(std::stoull(line, nullptr, 16), one.wanted[k]) << one.name << ", value " << k;
    }
  }
  std::string line;
  EXPECT_FALSE(std::getline(out, line)) << "more values than were asked for";
  for (const auto& [kind, count] : kinds) {
    EXPECT_GT(count, 4u) << kind;
    std::printf("%s: %zu calls, ", kind.c_str(), count);
  }
  std::printf("%zu values\n", values);
  fs::remove_all(at);
}

TEST_P(AArch64, GivesTheSameBits) {
  check(GetParam(), [](test::CrossCases& cases) {
    for (const auto& named : test::library_orders())
      cases.add(named.name, spec::parse_order(named.text), named.routine, named.type);
    for (const auto& named : test::library_updates())
      if (named.generated)
        cases.add_update(named.name, spec::parse_order(named.text), named.type, {7, 75});
  });
}

// The orders of the captured specs: one update in thirty at some lengths, or, where
// REPROSUM_CAPTURED_EVERY says 1, all at all of them.
TEST_P(AArch64, GivesTheSameBitsForCapturedOrders) {
  std::vector<std::int64_t> lengths{1, 2, 17, 70, 450};
  if (const char* const every = std::getenv("REPROSUM_CAPTURED_EVERY");
      every != nullptr && std::string(every) == "1") {
    lengths = {127, 385, 1000, 1025};
    for (std::int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
  }
  check(GetParam(), [&](test::CrossCases& cases) {
    for (const test::CapturedOrder& one : test::captured_orders(30))
      if (one.is_update())
        cases.add_update(one.name, one.order, one.type, lengths);
      else
        cases.add(one.name, one.order, one.routine, one.type);
  });
}

INSTANTIATE_TEST_SUITE_P(All, AArch64,
                         testing::Values(std::pair(Isa::neon, 128), std::pair(Isa::sve, 128),
                                         std::pair(Isa::sve256, 256), std::pair(Isa::sve512, 512),
                                         std::pair(Isa::sve256, 512)),
                         [](const auto& test) {
                           return std::string(name(test.param.first)) + "_on_" +
                                  std::to_string(test.param.second);
                         });

}  // namespace
}  // namespace reprosum::kernels

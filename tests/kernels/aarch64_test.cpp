// The same emitter for another machine: objects for NEON and SVE, linked with a cross compiler and
// run in an emulator, give the bits that this machine's kernels and the interpreter give.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "kernels/ahead.h"
#include "kernels/compile_thread.h"
#include "kernels/interpreter.h"
#include "kernels/matrix/order_tiles.h"
#include "kernels/plan/fold.h"
#include "kernels/plan/pieces.h"
#include "spec/surface.h"
#include "tests/kernels/cross_rows.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"
#include "tests/paths.h"

namespace reprosum::kernels {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTools =
    "(qemu-aarch64 --version && aarch64-linux-gnu-g++ --version) > /dev/null 2>&1";

int run(const std::string& command) { return std::system(command.c_str()); }

template <class T>
std::uint64_t bits(T value) {
  std::uint64_t all = 0;
  std::memcpy(&all, &value, sizeof value);
  return all;
}

// What is called there, by the name of its function, and the bits that it must give.
struct Case {
  CrossRow row{};
  std::string name, function;
  std::vector<std::uint64_t> wanted;
};

class Cases {
 public:
  explicit Cases(Isa isa) : ahead_(isa) {}

  void add(const test::NamedOrder& named) {
    named.type == spec::Type::f32 ? add_sums<float>(named) : add_sums<double>(named);
  }
  void add(const test::NamedUpdate& named) {
    named.type == spec::Type::f32 ? add_tiles<float>(named) : add_tiles<double>(named);
  }
  const AheadObjects& objects() const { return ahead_; }
  const std::vector<Case>& cases() const { return cases_; }

 private:
  template <class T>
  void add_sums(const test::NamedOrder& named) {
    const spec::Order order = spec::parse_order(named.text);
    const std::size_t before = ahead_.objects().size();
    ahead_.add(order, named.routine, named.type);
    // Orders of one piece: others are walked, which is the library's part.
    if (pieces_of(order).size() != 1 || order.regimes.size() != 1 || order.regimes[0].lo > 1)
      return;
    for (std::size_t k = before; k < ahead_.objects().size(); ++k)
      for (const std::string& name : ahead_.objects()[k].functions)
        for (const bool strided : {false, true})
          for (const bool wide : {false, true})
            if (name == (strided ? strided_name(0, wide) : piece_name(0, wide)))
              cases_.push_back(
                  sums<T>(named, order, strided, wide, ahead_.objects()[k].prefix + name));
  }

  template <class T>
  Case sums(const test::NamedOrder& named, const spec::Order& order, bool strided, bool wide,
            const std::string& function) {
    Case made;
    made.name = named.name;
    made.function = function;
    made.row.kind = strided ? CrossRow::strided : CrossRow::single;
    made.row.is_f32 = sizeof(T) == 4;
    made.row.is_wide = wide;
    made.row.has_y = named.routine == spec::Routine::dot;
    made.row.seed = static_cast<unsigned>(cases_.size());
    for (const int n : kCrossLengths) {
      const auto x = cross_data<T>(made.row.seed, 3 * n),
                 y = cross_data<T>(made.row.seed + 1, 3 * n);
      const T* const first = strided ? x.data() + 3 * (n - 1) : x.data();
      const T* const second = made.row.has_y ? y.data() : nullptr;
      // zero_start is the caller's: this is the function alone.
      spec::Order plain = order;
      plain.zero_start = false;
      made.wanted.push_back(
          bits(evaluate<T>(plain, n, first, strided ? -3 : 1, second, strided ? 2 : 1)));
    }
    return made;
  }

  // Tiles of every piece, ending and kind of shape, against those of this machine.
  template <class T>
  void add_tiles(const test::NamedUpdate& named) {
    const spec::Order order = with_output(spec::parse_order(named.text), OutputMode::value);
    const OrderTiles there(order, named.type, ahead_.isa(), "", &ahead_),
        here(order, named.type, host_isas().back(), "");
    for (const std::int64_t n : {7, 75}) {
      std::vector<FoldStep> steps, steps_here;
      std::string why;
      if (!fold_of(there.order(), n, OutputMode::value, there, steps, why) ||
          !fold_of(here.order(), n, OutputMode::value, here, steps_here, why))
        continue;  // n is not covered
      for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps[k].kind == FoldStep::Kind::piece && (k < 2 || k + 1 == steps.size()))
          add_piece<T>(named, {there, *steps[k].rule}, {here, *steps_here[k].rule}, steps[k].n);
    }
  }

  struct PieceAt {
    const OrderTiles& tiles;
    const spec::Rule& rule;
  };

  template <class T>
  void add_piece(const test::NamedUpdate& named, const PieceAt& there, const PieceAt& here,
                 std::int64_t n) {
    static constexpr int kSizes[][2] = {{3, 2}, {13, 3}};
    PiecePlan at, at_here;
    std::string why;
    if (!there.tiles.plan_of(there.rule, n, at, why)) return;
    ASSERT_TRUE(here.tiles.plan_of(here.rule, n, at_here, why)) << why;
    for (const auto& [down, columns] : kSizes) {
      const Ending ending = static_cast<Ending>(cases_.size() % 7);
      Case made;
      made.name = named.name + " n = " + std::to_string(n) + ", " + std::to_string(down) + " x " +
                  std::to_string(columns) + ", ending " + std::to_string(static_cast<int>(ending));
      made.row = {CrossRow::tile,
                  sizeof(T) == 4,
                  false,
                  true,
                  static_cast<unsigned>(cases_.size()),
                  down,
                  columns,
                  static_cast<int>(n),
                  at.q,
                  at.r,
                  nullptr};
      const TileShape far = shape<T>(there.tiles, down, columns, ending);
      ASSERT_NE(there.tiles.function(at, far), nullptr);  // told to ahead_
      made.function = ahead_prefix(ahead_.isa(), there.tiles.what(at, far)) + "tile";
      const TileFunction function =
          here.tiles.function(at_here, shape<T>(here.tiles, down, columns, ending));
      ASSERT_NE(function, nullptr) << made.name;
      CrossTile<T> tile(made.row);
      function(tile.call());
      for (const T value : tile.c()) made.wanted.push_back(bits(value));
      cases_.push_back(std::move(made));
    }
  }

  template <class T>
  static TileShape shape(const OrderTiles& tiles, int down, int columns, Ending ending) {
    const int lanes = tiles.vector_bits() / static_cast<int>(8 * sizeof(T));
    TileShape shape;
    shape.vectors = (down + lanes - 1) / lanes;
    shape.columns = columns;
    shape.masked = down % lanes != 0;
    shape.ending = ending;
    return shape;
  }

  AheadObjects ahead_;
  std::vector<Case> cases_;
};

std::string row_text(const CrossRow& row, const std::string& function) {
  std::string text =
      "  {static_cast<CrossRow::Kind>(" + std::to_string(static_cast<int>(row.kind)) + ")";
  for (const std::int64_t number :
       {std::int64_t{row.is_f32}, std::int64_t{row.is_wide}, std::int64_t{row.has_y},
        std::int64_t{row.seed}, std::int64_t{row.down}, std::int64_t{row.columns},
        std::int64_t{row.n}, row.q, row.r})
    text += ", " + std::to_string(number);
  return text + ", " + function + "},\n";
}

void write_program(const fs::path& directory, const Cases& cases) {
  Objects members;
  for (const AheadObject& object : cases.objects().objects())
    members.emplace_back(object.prefix + ".o", object.bytes);
  std::ofstream(directory / "kernels.a", std::ios::binary)
      << backend(cases.objects().isa()).archive(members);
  std::string declared, rows;
  for (const Case& one : cases.cases()) {
    declared += "extern \"C\" void " + one.function + "();\n";
    rows += row_text(one.row, one.function);
  }
  std::ofstream(directory / "rows.cpp")
      << "#include \"cross_rows.h\"\n"
      << declared << "const CrossRow cross_rows[] = {\n"
      << rows << "};\nconst int cross_row_count = " << cases.cases().size() << ";\n";
}

class AArch64 : public testing::TestWithParam<std::pair<Isa, int>> {};  // bits of the vectors there

TEST_P(AArch64, GivesTheSameBits) {
  if (run(kTools) != 0) GTEST_SKIP() << "no cross compiler or no emulator";
  if (host_isas().size() == 1) GTEST_SKIP() << "nothing is generated on this host";
  const auto [isa, vector_bits] = GetParam();
  Cases cases(isa);
  on_compile_thread([&] {
    for (const auto& named : test::library_orders()) cases.add(named);
    for (const auto& named : test::library_updates())
      if (named.generated) cases.add(named);
  });
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
  std::size_t sums = 0, tiles = 0;
  for (const Case& one : cases.cases()) {
    (one.row.kind == CrossRow::tile ? tiles : sums) += 1;
    for (std::size_t k = 0; k < one.wanted.size(); ++k) {
      std::string line;
      ASSERT_TRUE(std::getline(out, line)) << one.name;
      ASSERT_EQ(std::stoull(line, nullptr, 16), one.wanted[k]) << one.name << ", value " << k;
    }
  }
  EXPECT_GT(sums, 20u);
  EXPECT_GT(tiles, 60u);
  std::printf("%zu sums of %zu lengths, %zu tiles\n", sums, kCrossLengths.size(), tiles);
  fs::remove_all(at);
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

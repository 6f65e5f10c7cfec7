// The classes of one shape of real libraries: every one gets an order, which held-out data confirm.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "reveal/check/replay_check.h"
#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/class_by_k.h"
#include "reveal/matrix/update_data.h"
#include "reveal/refused.h"
#include "spec/surface.h"
#include "tests/reveal/matrix/real_classes.h"
#include "tests/reveal/matrix/update_by_hand.h"

namespace reprosum::reveal {
namespace {

struct Context {
  const char* library;
  const char* core;
  spec::Routine routine;
  spec::Type type;
  spec::Trans trans_a, trans_b;

  // As in "Haswell_sgemv_T"; a library of one core has its folder's name.
  std::string name() const {
    const std::string folder = std::string(library, std::strcspn(library, "/-"));
    std::string result = (*core != '\0' ? core : folder) + "_" + spec::blas_name(routine, type);
    result += trans_a == spec::Trans::no ? "_N" : "_T";
    if (routine == spec::Routine::gemm) result += trans_b == spec::Trans::no ? "N" : "T";
    return result;
  }
};

class RealClasses : public testing::TestWithParam<Context> {};

TEST_P(RealClasses, HaveOrdersThatHeldOutDataConfirm) {
  const Context& context = GetParam();
  const std::string library = std::string("/usr/lib/x86_64-linux-gnu/") + context.library;
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "no " << library;
  TargetOptions target_options;
  // BLIS of Haswell, as in the other tests: each machine has a core type of its own.
  target_options.environment = {std::string("OPENBLAS_CORETYPE=") + context.core,
                                "OPENBLAS_NUM_THREADS=1", "BLIS_ARCH_TYPE=3"};
  const bool gemm = context.routine == spec::Routine::gemm;
  Call call;
  call.routine = context.routine;
  call.type = context.type;
  call.trans_a = context.trans_a;
  call.trans_b = context.trans_b;
  call.m = 37;
  call.n = gemm ? 27 : 1;
  const std::int64_t k_max = 900;
  std::unique_ptr<Target> target;
  std::vector<test::CellList> classes;
  try {
    target = open_target("blas:" + library, target_options);
    classes = test::classes_of(*target, call);
  } catch (const TargetError& error) {
    if (error.reason != "illegal_instruction") throw;
    GTEST_SKIP() << "this processor cannot run " << context.core;
  }
  ClassOptions options;
  options.k_max = k_max;
  for (const test::CellList& cells : classes) {
    SCOPED_TRACE("class of output (" + std::to_string(cells[0].first) + ", " +
                 std::to_string(cells[0].second) + ")");
    const CellsAt at = [&](std::int64_t k) -> std::optional<Cells> {
      Cells here{call, cells};
      here.call.k = k;
      return here;
    };
    const ClassOrder found = reveal_class(*target, at, options);
    ASSERT_EQ(found.k_max, k_max) << found.stopped;
    EXPECT_FALSE(found.alpha_one_only);
    EXPECT_NO_THROW(spec::validate(found.order));
    if (!found.known)
      options.known.push_back({found.order, found.beta_zero, found.alpha_zero, found.k_max,
                               found.alpha_one_only, found.finite_only});
    CellTarget outputs(*target, at);
    FastRandom random(99);
    for (int round = 0; round < 60; ++round) {
      const auto k = std::int64_t(std::exp(random.unit() * std::log(double(k_max))));
      const Observation seen =
          observe(outputs, random_update(outputs, context.type, k, 4, static_cast<Data>(round % 4),
                                         draw(Scalar::random, context.type, random),
                                         draw(Scalar::random, context.type, random), random));
      ASSERT_EQ(
          first_difference(seen, found.order, context.type, found.beta_zero, found.alpha_zero), -1)
          << "k = " << k << ", round " << round << "\n"
          << spec::print(found.order);
    }
  }
}

// The outputs of whole blocks: a lane of each block of 48 summands goes on from C, up to some k in
// place, then in a buffer; those of doubles in panels of 1120.
class AtlasBlocks : public testing::TestWithParam<spec::Type> {};

TEST_P(AtlasBlocks, GoOnForAnyNumberOfThem) {
  const char* const library = "/usr/lib/x86_64-linux-gnu/atlas/libblas.so.3";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "no " << library;
  const bool is_single = spec::is_f32(GetParam());
  const auto target = open_target(std::string("blas:") + library, {});
  const CellsAt at = [&](std::int64_t k) -> std::optional<Cells> {
    Cells here;
    here.call.routine = spec::Routine::gemm;
    here.call.type = GetParam();
    here.call.m = here.call.n = is_single ? 96 : 112;
    here.call.k = k;
    for (std::int64_t i = 0; i < 12; ++i) here.cells.emplace_back(i, i + 1);
    return here;
  };
  ClassOptions options;
  options.alpha_one = true;
  options.k_max = is_single ? 2048 : 1500;
  CellTarget outputs(*target, at);
  FastRandom random(2024);
  std::int64_t next = 1;
  for (const KPiece& piece : reveal_class_by_k(*target, at, options)) {
    ASSERT_EQ(piece.lo, next);
    next = piece.hi + 1;
    ASSERT_TRUE(piece.order) << piece.lo << ".." << piece.hi << ": " << piece.why;
    for (int round = 0; round < 60; ++round) {
      const std::int64_t k = piece.lo + random.below(piece.hi - piece.lo + 1);
      const Observation seen =
          observe(outputs, random_update(outputs, GetParam(), k, 12, static_cast<Data>(round % 4),
                                         1, draw(Scalar::random, GetParam(), random), random));
      ASSERT_EQ(first_difference(seen, piece.order->order, GetParam(), piece.order->beta_zero,
                                 piece.order->alpha_zero),
                -1)
          << "k = " << k << ", round " << round;
    }
  }
  EXPECT_EQ(next, options.k_max + 1);
}

INSTANTIATE_TEST_SUITE_P(Types, AtlasBlocks, testing::Values(spec::Type::f32, spec::Type::f64),
                         [](const auto& info) {
                           return spec::is_f32(info.param) ? "sgemm" : "dgemm";
                         });

constexpr auto kNo = spec::Trans::no, kYes = spec::Trans::yes;
constexpr auto kGemm = spec::Routine::gemm, kGemv = spec::Routine::gemv;
constexpr auto kSingle = spec::Type::f32, kDouble = spec::Type::f64;
const char* const kOpenBlas = "openblas-pthread/libopenblas.so.0";
const char* const kReference = "blas/libblas.so.3";

INSTANTIATE_TEST_SUITE_P(Libraries, RealClasses,
                         testing::Values(Context{kOpenBlas, "Haswell", kGemm, kSingle, kNo, kNo},
                                         Context{kOpenBlas, "Haswell", kGemm, kSingle, kYes, kNo},
                                         Context{kOpenBlas, "Haswell", kGemm, kDouble, kNo, kNo},
                                         Context{kOpenBlas, "Haswell", kGemm, kDouble, kYes, kYes},
                                         Context{kOpenBlas, "Haswell", kGemv, kSingle, kNo, kNo},
                                         Context{kOpenBlas, "Haswell", kGemv, kSingle, kYes, kNo},
                                         Context{kOpenBlas, "Haswell", kGemv, kDouble, kNo, kNo},
                                         Context{kOpenBlas, "Haswell", kGemv, kDouble, kYes, kNo},
                                         Context{kOpenBlas, "SkylakeX", kGemm, kSingle, kNo, kYes},
                                         Context{kOpenBlas, "SkylakeX", kGemm, kDouble, kNo, kNo},
                                         Context{kOpenBlas, "SkylakeX", kGemm, kDouble, kNo, kYes},
                                         Context{kOpenBlas, "SkylakeX", kGemv, kDouble, kNo, kNo},
                                         Context{kOpenBlas, "SkylakeX", kGemv, kDouble, kYes, kNo},
                                         Context{kReference, "", kGemm, kSingle, kNo, kNo},
                                         Context{kReference, "", kGemm, kSingle, kYes, kNo},
                                         Context{kReference, "", kGemm, kDouble, kNo, kYes},
                                         Context{kReference, "", kGemm, kDouble, kYes, kYes},
                                         Context{kReference, "", kGemv, kDouble, kNo, kNo},
                                         Context{kReference, "", kGemv, kSingle, kYes, kNo},
                                         Context{"blis-pthread/libblas.so.3", "", kGemm, kDouble,
                                                 kNo, kYes}),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace reprosum::reveal

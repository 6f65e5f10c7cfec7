// Generated gemv and gemm against the interpreter, bit for bit, for every instruction set of this
// host.
#include "kernels/matrix.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <set>

#include "kernels/plan/fold.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"
#include "tests/kernels/update_orders.h"
#include "tests/spec/sample_regions.h"

namespace reprosum::kernels {
namespace {

using spec::MatrixClass;
using spec::Trans;
using spec::Type;

struct CallShape {
  spec::Routine routine = spec::Routine::gemm;
  std::int64_t m = 1, n = 1, k = 1;
  Trans trans_a = Trans::no, trans_b = Trans::no;
  std::int64_t padding = 0;  // of lda, beyond a few elements
};

CallShape random_shape(std::mt19937_64& random, std::int64_t most, std::int64_t most_k) {
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  CallShape shape;
  shape.m = 1 + below(below(3) == 0 ? 6 : most);
  shape.n = 1 + below(below(3) == 0 ? 6 : most);
  shape.k = 1 + below(below(3) == 0 ? 20 : most_k);
  shape.trans_a = static_cast<Trans>(below(2));
  if (below(4) == 0) {
    shape.routine = spec::Routine::gemv;
    shape.n = 1;
  } else {
    shape.trans_b = static_cast<Trans>(below(2));
  }
  return shape;
}

// Data whose end is the end of a page, before one that cannot be touched: what is read or written
// beyond is a crash. So operands also start at any multiple of their element.
template <class T>
class Guarded {
 public:
  explicit Guarded(const std::vector<T>& data) : count_(data.size()) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t bytes = count_ * sizeof(T), pages = (bytes + page - 1) / page;
    size_ = (pages + 1) * page;
    memory_ = static_cast<char*>(
        ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(memory_ + pages * page, page, PROT_NONE);
    data_ = reinterpret_cast<T*>(memory_ + pages * page - bytes);
    std::copy(data.begin(), data.end(), data_);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() { ::munmap(memory_, size_); }
  T* data() const { return data_; }
  std::vector<T> values() const { return {data_, data_ + count_}; }
  void set(const std::vector<T>& values) { std::copy(values.begin(), values.end(), data_); }

 private:
  std::size_t count_ = 0, size_ = 0;
  char* memory_ = nullptr;
  T* data_ = nullptr;
};

// A call with padded leading dimensions; nothing lies behind the last element of an operand.
template <class T>
struct Call {
  spec::MatrixArguments<T> arguments;
  std::unique_ptr<Guarded<T>> a, b, c;

  Call(std::mt19937_64& random, const CallShape& s) {
    const auto below = [&](std::int64_t limit) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    };
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const T scalars[] = {T(0),  T(-0.0),  T(1),
                         T(-1), T(0.7),   T(-1.3),
                         T(3),  infinity, std::numeric_limits<T>::denorm_min()};
    spec::MatrixArguments<T>& call = arguments;
    call.routine = s.routine;
    call.trans_a = s.trans_a;
    call.trans_b = s.trans_b;
    call.m = s.m;
    call.n = s.n;
    call.k = s.k;
    call.alpha = scalars[below(std::ssize(scalars))];
    call.beta = scalars[below(std::ssize(scalars))];
    call.lda = (s.trans_a == Trans::no ? s.m : s.k) + below(3) + s.padding;
    call.ldb = (s.trans_b == Trans::no ? s.k : s.n) + below(3);
    call.ldc = s.m + below(3);
    const bool gemv = s.routine == spec::Routine::gemv;
    if (gemv) {
      const std::int64_t increments[] = {1, 1, 2, -1, -3};
      call.incb = increments[below(5)];
      call.incc = increments[below(5)];
    }
    const auto extent = [](std::int64_t rows, std::int64_t columns, std::int64_t ld) {
      return rows + (columns - 1) * ld;
    };
    const bool ta = s.trans_a == Trans::yes, tb = s.trans_b == Trans::yes;
    const std::int64_t b_size = gemv ? extent(1, s.k, std::abs(call.incb))
                                     : extent(tb ? s.n : s.k, tb ? s.k : s.n, call.ldb);
    const std::int64_t c_size =
        gemv ? extent(1, s.m, std::abs(call.incc)) : extent(s.m, s.n, call.ldc);
    const std::int64_t a_size = extent(ta ? s.k : s.m, ta ? s.m : s.k, call.lda);
    const bool special = below(3) == 0;
    const auto guarded = [&](std::int64_t size, bool any) {
      return std::make_unique<Guarded<T>>(test::hostile_data<T>(random, size, any));
    };
    a = guarded(a_size, special);
    b = guarded(b_size, special);
    c = guarded(c_size, true);
    call.a = a->data();
    call.b = b->data() + (call.incb < 0 ? (1 - s.k) * call.incb : 0);
    call.c = c->data() + (call.incc < 0 ? (1 - s.m) * call.incc : 0);
  }

  // Other numbers at other addresses; scalars that are zero stay so.
  void change() {
    const auto moved = [](std::unique_ptr<Guarded<T>>& data, auto*& pointer) {
      std::vector<T> values = data->values();
      std::reverse(values.begin(), values.end());
      const auto at = pointer - data->data();
      data = std::make_unique<Guarded<T>>(values);
      pointer = data->data() + at;
    };
    moved(a, arguments.a);
    moved(b, arguments.b);
    moved(c, arguments.c);
    if (arguments.alpha != 0) arguments.alpha = arguments.alpha == T(1) ? T(0.3) : T(1);
    if (arguments.beta != 0) arguments.beta = arguments.beta == T(1) ? T(-0.6) : T(1);
  }
};

template <class T>
struct Problem {
  spec::Spec spec;
  spec::Entry entry;

  Problem(const std::vector<spec::Order>& orders, spec::MatrixRegime regime) {
    spec.orders = orders;
    entry.routine = spec::Routine::gemm;
    entry.type = spec::type_of<T>();
    entry.regimes = {std::move(regime)};
  }
  spec::RegionMap map(const CallShape& s) const {
    const spec::MatrixRegime& regime = entry.regimes[0];
    return {&regime, *spec::stretches(regime.rows, s.m), *spec::stretches(regime.columns, s.n)};
  }
};

template <class T>
void check(const Problem<T>& setup, const MatrixKernels<T>& kernels, const CallShape& shape,
           std::mt19937_64& random) {
  const spec::RegionMap map = setup.map(shape);
  Call<T> call(random, shape);
  const int workers = static_cast<int>(1 + random() % 3);
  // Calls of a shape that was there before are made as they were then, of other numbers.
  for (const bool again : {false, true}) {
    if (again) call.change();
    const std::vector<T> before = call.c->values();
    spec::interpret_matrix(map, setup.spec.orders, call.arguments);
    const std::vector<T> wanted = call.c->values();
    call.c->set(before);
    kernels.run(map, call.arguments, workers);
    const std::vector<T> got = call.c->values();
    for (std::size_t k = 0; k < wanted.size(); ++k)
      ASSERT_TRUE(test::same(wanted[k], got[k]))
          << "m, n, k = " << shape.m << ", " << shape.n << ", " << shape.k << ", trans "
          << static_cast<int>(shape.trans_a) << static_cast<int>(shape.trans_b)
          << (shape.routine == spec::Routine::gemv ? " gemv" : " gemm") << ", alpha "
          << call.arguments.alpha << ", beta " << call.arguments.beta << ", incx "
          << call.arguments.incb << ", incy " << call.arguments.incc << ", " << workers
          << " workers, " << (again ? "again, " : "") << "element " << k << ": wanted " << wanted[k]
          << ", got " << got[k] << "\n"
          << kernels.names(map, shape.k, call.arguments.beta)[0];
  }
}

bool every_shape() {
  const char* text = std::getenv("REPROSUM_EVERY_SHAPE");
  return text != nullptr && *text != '\0';
}

template <class T>
void check_library(Isa isa, std::mt19937_64& random) {
  for (const test::NamedUpdate& named : test::library_updates()) {
    if (is_f32(named.type) != (sizeof(T) == 4)) continue;
    SCOPED_TRACE(named.name + ": " + named.text);
    for (const auto beta_zero :
         {MatrixClass::BetaZero::store, MatrixClass::BetaZero::drop,
          MatrixClass::BetaZero::drop_zeros, MatrixClass::BetaZero::store_beta,
          MatrixClass::BetaZero::multiply}) {
      const Problem<T> setup({spec::parse_order(named.text)},
                             test::uniform_regime({0, beta_zero, {}}, 400));
      const auto kernels = compile_matrix<T>(setup.spec, setup.entry, {isa, ""});
      const std::string name = kernels->names(setup.map({}), 37, T(1))[0];
      EXPECT_EQ(name.find("interpreter") == std::string::npos,
                isa != Isa::interpreter && named.generated)
          << name;
      // Every mode meets every kind of size; the commonest meets most.
      const int stride = beta_zero == MatrixClass::BetaZero::store || every_shape() ? 1 : 5;
      for (int k = 0; k < 24; k += stride) {
        CallShape shape = random_shape(random, k < 16 ? 70 : 130, k < 20 ? 100 : 700);
        if (k % 8 == 0) shape.k = 1;
        check(setup, *kernels, shape, random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Matrix, LibraryOrders) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const Isa isa : host_isas()) {
    check_library<float>(isa, random);
    check_library<double>(isa, random);
    if (HasFatalFailure()) return;
  }
}

// BLIS leaves a product of one summand out where its scaled factor is zero, and C where beta is:
// what takes their place depends on the data then, and on nothing where there are more summands.
TEST(Matrix, OnlySizesThatLeaveProductsOutAreInterpretedWithoutC) {
  const spec::Order order = spec::parse_order(R"(
1: trees { 1: [out ?>f@0]; }
2..1000: loop 8 {
  0..7: a = [0 f@0 +8 x q]; b = [0 f@0 +8 x q a@1]; c = [0 f@0 +8 x q a@1 b@2];
        d = [0 f@0 +8 x q a@1 b@2 c@4 .@8q +1 x r]; [out &d@0];
})");
  EXPECT_TRUE(depends_on_data(order, 1, OutputMode::dropped));
  EXPECT_FALSE(depends_on_data(order, 1, OutputMode::zero));
  EXPECT_FALSE(depends_on_data(order, 2, OutputMode::dropped));
  EXPECT_FALSE(depends_on_data(order, 999, OutputMode::dropped_zeros));
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const Problem<float> setup({order},
                             test::uniform_regime({0, MatrixClass::BetaZero::drop, {}}, 400));
  for (const Isa isa : host_isas()) {
    const auto kernels = compile_matrix<float>(setup.spec, setup.entry, {isa, ""});
    for (int turn = 0; turn < 120; ++turn) {
      const std::int64_t k = turn % 4 == 0 ? 1 : 1 + static_cast<std::int64_t>(random() % 90);
      check(setup, *kernels,
            {spec::Routine::gemv, 1 + static_cast<std::int64_t>(random() % 60), 1, k}, random);
      if (HasFatalFailure()) return;
    }
  }
}

// Matrices whose columns lie far apart are read a few columns at a time.
template <class T>
void check_far_columns(Isa isa, std::mt19937_64& random) {
  for (const test::NamedUpdate& named : test::library_updates()) {
    if (is_f32(named.type) != (sizeof(T) == 4)) continue;
    SCOPED_TRACE(named.name + ": " + named.text);
    const Problem<T> setup({spec::parse_order(named.text)}, test::uniform_regime({}, 3000));
    const auto kernels = compile_matrix<T>(setup.spec, setup.entry, {isa, ""});
    for (const std::int64_t m : {37, 2500}) {
      CallShape shape{spec::Routine::gemv, m, 1, static_cast<std::int64_t>(100 + random() % 100)};
      shape.padding = std::max<std::int64_t>(0, (3 << 20) / std::int64_t(sizeof(T)) / 100 - m);
      check(setup, *kernels, shape, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Matrix, FarColumns) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const Isa isa : host_isas()) {
    if (isa == Isa::interpreter) continue;
    check_far_columns<float>(isa, random);
    check_far_columns<double>(isa, random);
    if (HasFatalFailure()) return;
  }
}

template <class T>
void check_regions(Isa isa, std::mt19937_64& random, int* generated, int* classes) {
  std::vector<spec::Order> orders;
  std::string texts;
  for (int k = 0; k < 3; ++k) {
    texts += test::random_update(random, spec::type_of<T>()).text + "\n";
    orders.push_back(spec::parse_order(texts.substr(texts.rfind('\n', texts.size() - 2) + 1)));
  }
  SCOPED_TRACE(texts);
  const Problem<T> setup(orders, test::random_regime(random, orders.size(), 100));
  const auto kernels = compile_matrix<T>(setup.spec, setup.entry, {isa, ""});
  for (const std::string& name :
       kernels->names(setup.map({spec::Routine::gemm, 100, 100, 37}), 37, T(1))) {
    *generated += name.find("interpreter") == std::string::npos ? 1 : 0;
    ++*classes;
  }
  for (int k = 0; k < 12; ++k) {
    check(setup, *kernels, random_shape(random, 100, 100), random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Matrix, NamesSpeakOfClassesWithOutputsOnly) {
  const spec::Spec spec = spec::samples::haswell_sgemm();
  const spec::Entry& entry = spec.entries[0];
  for (const Isa isa : host_isas()) {
    const auto kernels = compile_matrix<float>(spec, entry, {isa, ""});
    for (const spec::Shape3& shape : {spec::Shape3{1, 1, 10}, {24, 4, 10}, {30, 29, 10}}) {
      const auto map = spec::regions(entry.regimes, shape);
      std::set<std::int32_t> classes;
      for (std::int64_t i = 0; i < shape.m; ++i)
        for (std::int64_t j = 0; j < shape.n; ++j) classes.insert(map->class_at(i, j));
      EXPECT_EQ(kernels->names(*map, shape.k, 1.0F).size(), classes.size())
          << shape.m << " x " << shape.n;
    }
  }
}

TEST(Matrix, RandomOrdersAndRegions) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int generated = 0, classes = 0;
  for (int k = 0; k < 12; ++k) {
    for (const Isa isa : host_isas()) {
      if (isa == Isa::interpreter) continue;
      check_regions<float>(isa, random, &generated, &classes);
      check_regions<double>(isa, random, &generated, &classes);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(classes, 24 * static_cast<int>(host_isas().size() - 1));
  EXPECT_GE(generated * 10, classes * 6);
}

// Tiles are kept on disk; a copy of the directory serves as well, and a damaged file is made again.
TEST(Matrix, TilesAreKeptOnDisk) {
  namespace fs = std::filesystem;
  std::string base = testing::TempDir() + "tiles-XXXXXX";
  ASSERT_NE(::mkdtemp(base.data()), nullptr);
  const Problem<double> setup({spec::parse_order(test::library_updates()[0].text)},
                              test::uniform_regime({}, 400));
  const auto files = [&](const std::string& directory) {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(directory)) all.push_back(entry.path());
    return all;
  };
  const CallShape shape{spec::Routine::gemm, 50, 30, 40};
  if (host_isas().size() == 1) GTEST_SKIP() << "nothing is generated on this host";
  for (const char* name : {"/first", "/second", "/third"}) {
    const std::string directory = base + name;
    if (fs::exists(base + "/first")) {
      fs::copy(base + "/first", directory);
      fs::permissions(directory, fs::perms::owner_all);
    }
    if (name == std::string("/third"))
      for (const fs::path& file : files(directory)) fs::resize_file(file, 100);
    std::mt19937_64 random(5);
    const CompileOptions options{host_isas().back(), directory};
    check(setup, *compile_matrix<double>(setup.spec, setup.entry, options), shape, random);
    for (const fs::path& file : files(directory)) EXPECT_GT(fs::file_size(file), 500u) << file;
    EXPECT_FALSE(files(directory).empty());
    EXPECT_EQ(files(directory).size(), files(base + "/first").size());
  }
  fs::remove_all(base);
}

}  // namespace
}  // namespace reprosum::kernels

// Long sums of one accumulator: shipped specs, replayed out of order, beside the libraries that
// they were captured from. Skipped where a library is missing.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>

#include "kernels/chain/chain.h"
#include "reprosum/reprosum.h"
#include "tests/kernels/chain_data.h"
#include "tests/paths.h"

namespace reprosum {
namespace {

template <class T>
using Dot = T (*)(const int*, const T*, const int*, const T*, const int*);
template <class T>
using Sum = T (*)(const int*, const T*, const int*);

// The kernel of a call, or "" if none serves it.
template <class T>
std::string kernel(const reprosum_handle* handle, bool is_dot, std::int64_t n, int inc) {
  const reprosum_reduction call = {is_dot ? REPROSUM_DOT : REPROSUM_SUM,
                                   sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64,
                                   n,
                                   inc,
                                   is_dot ? inc : 0,
                                   0,
                                   0,
                                   0};
  char name[200] = "";
  EXPECT_EQ(reprosum_kernel_name(handle, &call, name, sizeof name, nullptr), REPROSUM_OK)
      << reprosum_last_error(handle);
  return name;
}

template <class T>
T replayed(const reprosum_handle* handle, bool is_dot, std::int64_t n, const T* x, const T* y,
           int inc) {
  T value = 0;
  reprosum_status status = REPROSUM_OK;
  if constexpr (sizeof(T) == 4)
    status = is_dot ? reprosum_sdot(handle, n, x, inc, y, inc, &value)
                    : reprosum_ssum(handle, n, x, inc, &value);
  else
    status = is_dot ? reprosum_ddot(handle, n, x, inc, y, inc, &value)
                    : reprosum_dsum(handle, n, x, inc, &value);
  EXPECT_EQ(status, REPROSUM_OK) << reprosum_last_error(handle);
  return value;
}

bool has_chains() {
  for (const kernels::Isa isa : kernels::host_isas())
    if (kernels::chain::code<double>(isa, kernels::chain::Op::sum) != nullptr) return true;
  return false;
}

// One library beside the spec that was captured from it.
class LongSums : public testing::Test {
 protected:
  void open(const std::string& spec, const std::string& library) {
    library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) GTEST_SKIP() << "there is no " << library;
    const std::string path = std::string(REPROSUM_SOURCE_DIR) + "/spec/library/" + spec;
    ASSERT_EQ(reprosum_open_file(path.c_str(), &handle_), REPROSUM_OK)
        << reprosum_last_error(nullptr);
  }
  ~LongSums() override { reprosum_close(handle_); }

  template <class T>
  void compare(const char* routine, bool is_dot, int inc, std::int64_t n, int kinds) {
    SCOPED_TRACE(std::string(routine) + ", n = " + std::to_string(n) + ", every " +
                 std::to_string(inc));
    void* const symbol = ::dlsym(library_, routine);
    ASSERT_NE(symbol, nullptr);
    EXPECT_EQ(kernel<T>(handle_, is_dot, n, inc).ends_with("_chain"), has_chains());
    std::mt19937_64 random(static_cast<std::uint64_t>(n + inc));
    for (int kind = 0; kind < kinds; ++kind) {
      const test_data<T> data = kernels::test::chain_data<T>(kind, n * inc, random);
      const int size = static_cast<int>(n);
      const T wanted =
          is_dot ? reinterpret_cast<Dot<T>>(symbol)(&size, data.x.data(), &inc, data.y.data(), &inc)
                 : reinterpret_cast<Sum<T>>(symbol)(&size, data.x.data(), &inc);
      const T got = replayed<T>(handle_, is_dot, n, data.x.data(), data.y.data(), inc);
      EXPECT_TRUE(std::memcmp(&wanted, &got, sizeof(T)) == 0 || (wanted != wanted && got != got))
          << "kind " << kind << ": " << wanted << ", got " << got;
    }
  }

 private:
  template <class T>
  using test_data = kernels::test::ChainData<T>;

  void* library_ = nullptr;
  reprosum_handle* handle_ = nullptr;
};

constexpr const char* kLibraries = "/usr/lib/x86_64-linux-gnu/";

TEST_F(LongSums, OfTheReferenceBlas) {
  open("reference-3.11.0.json", std::string(kLibraries) + "blas/libblas.so.3");
  if (IsSkipped()) return;
  for (const std::int64_t n : {2'048, 100'000}) {
    compare<double>("ddot_", true, 1, n, kernels::test::kChainKinds);
    compare<float>("sdot_", true, 1, n, kernels::test::kChainKinds);
  }
  compare<double>("ddot_", true, 3, 30'000, kernels::test::kChainKinds);
  compare<float>("sdot_", true, 3, 30'000, kernels::test::kChainKinds);
  compare<double>("ddot_", true, 1, 1'000'000, 3);
  compare<float>("sdot_", true, 1, 1'000'000, 3);
  compare<double>("ddot_", true, 1, 10'000'000, 1);
  compare<float>("sdot_", true, 1, 10'000'000, 1);
}

TEST_F(LongSums, OfOpenBlasWithIncrements) {
  open("openblas-0.3.21-Haswell.json",
       std::string(kLibraries) + "openblas-pthread/libopenblas.so.0");
  if (IsSkipped()) return;
  for (const std::int64_t n : {2'048, 100'000}) {
    compare<double>("dsum_", false, 2, n, kernels::test::kChainKinds);
    compare<float>("ssum_", false, 2, n, kernels::test::kChainKinds);
  }
  compare<double>("dsum_", false, 2, 1'000'000, 3);
  compare<float>("ssum_", false, 2, 1'000'000, 3);
}

}  // namespace
}  // namespace reprosum

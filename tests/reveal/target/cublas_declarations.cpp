// Our declarations of cuBLAS against the header of a toolkit: the same binary interface.
#include <cublas_v2.h>
#include <gtest/gtest.h>

#include <string>

#include "reveal/target/cublas_functions.h"
#include "tests/same_interface.h"

namespace {

namespace ours = reprosum::reveal::cublas;

#define REPROSUM_SAME(type, theirs) \
  static_assert(reprosum::testing::Alike<ours::type, decltype(&theirs)>::value)
REPROSUM_SAME(Create, cublasCreate);
REPROSUM_SAME(SetStream, cublasSetStream);
REPROSUM_SAME(SetMode, cublasSetMathMode);
REPROSUM_SAME(SetMode, cublasSetPointerMode);
REPROSUM_SAME(GetVersion, cublasGetVersion);
REPROSUM_SAME(SetWorkspace, cublasSetWorkspace);
REPROSUM_SAME(Dot<float>, cublasSdot);
REPROSUM_SAME(Dot<double>, cublasDdot);
REPROSUM_SAME(Gemv<float>, cublasSgemv);
REPROSUM_SAME(Gemv<double>, cublasDgemv);
REPROSUM_SAME(Gemm<float>, cublasSgemm);
REPROSUM_SAME(Gemm<double>, cublasDgemm);
#undef REPROSUM_SAME

static_assert(ours::kNoTrans == CUBLAS_OP_N && ours::kTrans == CUBLAS_OP_T);
static_assert(ours::kPointersOfDevice == CUBLAS_POINTER_MODE_DEVICE);
static_assert(ours::kInvalidValue == CUBLAS_STATUS_INVALID_VALUE);

#define REPROSUM_TEXT(name) REPROSUM_TEXT_OF(name)
#define REPROSUM_TEXT_OF(name) #name

// The versioned names, which are macros of the header.
TEST(CublasDeclarations, NamesAreThoseOfTheHeader) {
  EXPECT_EQ(std::string(REPROSUM_TEXT(cublasCreate)), "cublasCreate_v2");
  EXPECT_EQ(std::string(REPROSUM_TEXT(cublasSetStream)), "cublasSetStream_v2");
  EXPECT_EQ(std::string(REPROSUM_TEXT(cublasSetPointerMode)), "cublasSetPointerMode_v2");
  EXPECT_EQ(std::string(REPROSUM_TEXT(cublasGetVersion)), "cublasGetVersion_v2");
  EXPECT_EQ(std::string(REPROSUM_TEXT(cublasSetWorkspace)), "cublasSetWorkspace_v2");
  EXPECT_EQ(std::string(REPROSUM_TEXT(cublasSdot)), "cublasSdot_v2");
  EXPECT_EQ(std::string(REPROSUM_TEXT(cublasDgemv)), "cublasDgemv_v2");
  EXPECT_EQ(std::string(REPROSUM_TEXT(cublasSgemm)), "cublasSgemm_v2");
}

}  // namespace

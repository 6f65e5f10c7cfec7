// The functions of one instruction set.
#pragma once

#include "kernels/chain/chain.h"

namespace reprosum::kernels::chain {

struct CodeTable {
  Code<float> f32[3];  // by Op
  Code<double> f64[3];
};
extern const CodeTable kAvx2Chains;    // needs AVX2, FMA and BMI
extern const CodeTable kAvx512Chains;  // needs AVX512F, AVX512DQ and what AVX2's need

}  // namespace reprosum::kernels::chain

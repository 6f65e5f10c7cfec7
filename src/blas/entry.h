// How an exported symbol is declared, and its other name.
#pragma once

#define REPROSUM_BLAS extern "C" __attribute__((visibility("default")))

#define REPROSUM_BLAS_TWIN(name, twin) \
  REPROSUM_BLAS decltype(name) twin __attribute__((alias(#name)))

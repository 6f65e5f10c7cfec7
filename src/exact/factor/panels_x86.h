// The loops of panels that files of one instruction set each define.
#pragma once

#include "src/exact/factor/panels.h"
#include "src/exact/machine/prefetch.h"

namespace reprosum::exact {

extern const PanelKernels kAvx2Panels, kAvx512Panels;

}  // namespace reprosum::exact

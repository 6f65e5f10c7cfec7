// One tree in the format asked for.
#pragma once

#include <cstdint>
#include <string>

#include "spec/order.h"
#include "spec/tree.h"
#include "src/report/picture/render.h"
#include "src/report/wording.h"

namespace reprosum::report {

// format: text, svg or dot.
std::string tree_in(const std::string& format, const spec::Order& order, std::int64_t n,
                    const Caption& caption);

// Postorder: ".3" a rounded product, "f3" a fused one, "x3" an exact one, "z" the constant +0,
// "out" and "outf" the output, "+" and "+w" an addition, "+wr" a wide one whose sum is rounded. A
// mark of alpha stands before them as in the text of orders: "<f3", "&+".
Json tree_json(const spec::Tree& tree);

}  // namespace reprosum::report

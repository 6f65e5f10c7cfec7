// Drawings of a picture: text, graphviz, SVG.
#pragma once

#include <string>

#include "spec/tree.h"
#include "src/report/picture/picture.h"

namespace reprosum::report {

struct Caption {
  std::string title;     // "sdot, n = 1000"
  std::string order;     // the order in one line
  std::string context;   // which calls
  std::string identity;  // hash and origin
  bool products = true;  // dot: a leaf is x[k]*y[k]; sum: x[k]
  // How the two factors of a product are called: gemm multiplies a[k] by b[k].
  const char *left = "x", *right = "y";
};

// Lines drawn with box characters, one operand each.
std::string render_outline(const Picture& picture, const Caption& caption);

// "((0 +f 4) + (1 +f 5))": + rounds to the routine's format, +w to the wide one, +f is an fma of
// what stands at its right, 4x an exact product, z the constant +0. Left-to-right chains share one
// pair of parentheses. In a matrix update C is beta*c, a* multiplies by alpha what follows it (an
// fma after +f), ax4 and ay4 are products one of whose factors was multiplied by alpha first.
std::string render_expression(const spec::Tree& tree);

std::string render_dot(const Picture& picture, const Caption& caption);

// Complete and self-contained; carries its own background, so that it reads on any page.
std::string render_svg(const Picture& picture, const Caption& caption);

}  // namespace reprosum::report

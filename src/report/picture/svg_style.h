// How the parts of an SVG drawing look. Colours keep their contrast on the drawing's own light
// card.
#pragma once

#include <string>

namespace reprosum::report {

inline constexpr const char* kStyle = R"(<style>
  text { font-family: "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; fill: #2b3440; }
  .title { font-size: 19px; font-weight: 600; }
  .order { font-size: 13px; fill: #44505e; }
  .small { font-size: 11px; fill: #6a7582; }
  .in { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 11px;
        text-anchor: middle; }
  .op { font-size: 13px; font-weight: 600; text-anchor: middle; fill: #ffffff; }
  .op.box { font-size: 11px; }
  .copies { paint-order: stroke; stroke: #fbfaf7; stroke-width: 4px; font-size: 11px; font-weight: 600; text-anchor: middle; fill: #8a3b12; }
  .copies.key { text-anchor: start; }
  .edge { fill: none; stroke: #93a0ad; stroke-width: 1.2; }
  .edge.fma { stroke: #2a8f86; stroke-width: 1.5; }
  .edge.in-turn { stroke-dasharray: 2 3; }
  .edge.wide { stroke: #c9761b; stroke-width: 1.7; }
  .leaf { fill: #ffffff; stroke: #76828f; stroke-width: 1.2; }
  .leaf.fma { fill: #d3f0ec; stroke: #2a8f86; }
  .leaf.exact { fill: #fdeccf; stroke: #c9761b; }
  .leaf.wide { stroke: #c9761b; stroke-width: 1.7; }
  .leaf.zero { fill: #f1f1ee; stroke: #76828f; stroke-dasharray: 3 2; }
  .leaf.out { fill: #e8ddf5; stroke: #6b4a9e; }
  .leaf.alpha { stroke: #6b4a9e; stroke-width: 1.7; }
  .leaf.piece { fill: #eceff3; stroke: #93a0ad; stroke-dasharray: 5 3; }
  .node { fill: #4a5a6b; }
  .node.scaled { fill: #6b4a9e; }
  .node.fma { fill: #2a8f86; }
  .node.wide { fill: #c9761b; }
  .node.stored { stroke: #2b3440; stroke-width: 2.2; }
</style>
)";

// Text for an element or an attribute; control characters, which XML cannot have, are left out.
std::string escaped(const std::string& text);

}  // namespace reprosum::report

#include "src/report/picture/fold_schema.h"

#include <algorithm>

namespace reprosum::report {
namespace {

constexpr std::int64_t kMostCopies = 8;   // of one operand, drawn one by one
constexpr std::size_t kMostSingles = 16;  // operands of a chain drawn as binary additions
constexpr int kMostParts = 2000;
constexpr int kMostOperands = 64;  // of one chain, the rest is one piece

// Consecutive copies of one shape in a chain.
struct Group {
  spec::Shape shape;
  std::int64_t at = 0, step = 0, times = 1, step2 = 0, times2 = 1;
  bool collapsed = false;
  std::int64_t copies() const { return spec::clamped(spec::Int128{times} * times2); }
  bool is_run() const { return shape.is_leaf() && copies() > 1; }
};

struct ChainView {
  spec::NodeFormat format = spec::NodeFormat::narrow;
  std::vector<Group> groups;
  std::int64_t leaves = 0, width = 0, fused = 0;  // fused: Fused::terms
  bool present = false;                           // also with nothing but zeros and outputs
};

class Folder {
 public:
  Folder(Picture& picture, const spec::Schema& schema, std::int64_t q, std::int64_t r)
      : picture_(picture) {
    for (const spec::Chain& chain : schema.chains) chains_.push_back(view(chain, q, r));
  }

  int run(std::int64_t at, int width) {
    if (chains_.empty() || !chains_.back().present) return -1;
    measure();
    // From the root downwards, so that one complete branch of the tree stays unfolded.
    for (std::size_t c = chains_.size(); c-- > 0 && chains_.back().width > width;)
      for (Group& group : chains_[c].groups)
        if (!group.shape.is_leaf() && group.copies() > 1 && chains_.back().width > width) {
          group.collapsed = true;
          measure();
        }
    return draw(chains_.size() - 1, at);
  }

 private:
  static std::int64_t summands(const spec::Shape& leaf) {
    return leaf.leaf <= spec::Leaf::exact ? 1 : 0;
  }

  ChainView view(const spec::Chain& chain, std::int64_t q, std::int64_t r) const {
    ChainView out;
    out.format = chain.format;
    out.fused = chain.fused.terms;
    for (const spec::Item& item : chain.items) {
      Group group{item.shape,          item.at.at(q, r),    item.step.at(q, r),
                  item.times.at(q, r), item.step2.at(q, r), item.times2.at(q, r)};
      if (group.times <= 0 || group.times2 <= 0) continue;
      std::int64_t each = summands(item.shape);
      if (!item.shape.is_leaf()) {
        const ChainView& named = chains_[static_cast<std::size_t>(item.shape.chain)];
        if (!named.present) continue;
        each = named.leaves;
      }
      out.present = true;
      out.leaves = spec::clamped(out.leaves + spec::Int128{each} * group.copies());
      if (group.times == 1)
        std::swap(group.times, group.times2), std::swap(group.step, group.step2);
      // Two neighbours [a@0 a@8] are two copies of one operand too.
      if (!out.groups.empty() && !item.shape.is_leaf()) {
        Group& last = out.groups.back();
        const std::int64_t distance = group.at - (last.at + last.step * (last.times - 1));
        if (last.shape == group.shape && last.times2 == 1 && group.copies() == 1 &&
            (last.times == 1 || distance == last.step)) {
          last.step = distance;
          ++last.times;
          continue;
        }
      }
      out.groups.push_back(group);
    }
    for (Group& group : out.groups)
      group.collapsed = !group.shape.is_leaf() && group.copies() > kMostCopies;
    return out;
  }

  void measure() {
    for (ChainView& chain : chains_) {
      chain.width = 0;
      for (const Group& group : chain.groups) {
        const std::int64_t each =
            group.shape.is_leaf() ? 1 : chains_[static_cast<std::size_t>(group.shape.chain)].width;
        chain.width += group.shape.is_leaf() || group.collapsed
                           ? each
                           : spec::clamped(spec::Int128{each} * group.copies());
        chain.width = std::min<std::int64_t>(chain.width, 1 << 20);
      }
    }
  }

  int add_part(Part part) {
    picture_.parts.push_back(std::move(part));
    return static_cast<int>(picture_.parts.size()) - 1;
  }
  const Part& part(int index) const { return picture_.parts[static_cast<std::size_t>(index)]; }

  int leaf_part(const Group& group, std::int64_t origin, spec::NodeFormat format, bool starts) {
    Part out;
    out.leaf = group.shape.leaf;
    out.scale = group.shape.scale;
    out.skip = group.shape.skip;
    out.format = format;
    out.first = origin + group.at;
    out.leaves = summands(group.shape) * group.copies();
    if (group.copies() == 1) {
      if (starts && out.leaf == spec::Leaf::fused) out.leaf = spec::Leaf::rounded;
      if (starts && out.leaf == spec::Leaf::out_fused) out.leaf = spec::Leaf::out;
      if (starts && out.scale == spec::Scale::fused) out.scale = spec::Scale::rounded;
    } else {
      out.kind = Part::Kind::run;
      out.step = group.step;
      out.times = group.times;
      out.step2 = group.step2;
      out.times2 = group.times2;
    }
    return add_part(std::move(out));
  }

  int stub(std::int64_t first, std::int64_t leaves, std::string note = "not drawn") {
    Part out;
    out.kind = Part::Kind::piece;
    out.first = first;
    out.leaves = leaves;
    out.note = std::move(note);
    return add_part(std::move(out));
  }

  // The operands of a chain in turn. Recursion is as deep as chains nest (spec::kMaxDepth).
  int draw(std::size_t index, std::int64_t origin) {
    const ChainView& chain = chains_[index];
    if (picture_.parts.size() > kMostParts) return stub(origin, chain.leaves);
    if (chain.fused > 0)
      return stub(origin, chain.leaves, std::to_string(chain.fused) + " at once");
    std::vector<Operand> operands;
    std::int64_t drawn = 0;
    for (const Group& group : chain.groups) {
      if (operands.size() >= kMostOperands) {
        operands.push_back({stub(origin + group.at, chain.leaves - drawn)});
        break;
      }
      if (group.shape.is_leaf()) {
        operands.push_back(
            {leaf_part(group, origin, chain.format, operands.empty()), 1, 0, group.is_run()});
        drawn += part(operands.back().part).leaves;
        continue;
      }
      const auto child = static_cast<std::size_t>(group.shape.chain);
      drawn += group.copies() * chains_[child].leaves;
      if (group.collapsed) {
        const int drawn_once = draw(child, origin + group.at);
        std::int64_t copies = group.copies(), skipped = 0;
        if (operands.empty() && group.shape.scale == spec::Scale::fused && group.times2 == 1) {
          // The first copy has nothing to be fused with.
          operands.push_back({scaled(drawn_once, spec::Scale::rounded)});
          skipped = 1;
        }
        const int rest = skipped == 0 ? drawn_once : draw(child, origin + group.at + group.step);
        operands.push_back({scaled(rest, group.shape.scale), copies - skipped,
                            group.times2 == 1 ? group.step : 0});
        continue;
      }
      for (std::int64_t u = 0; u < group.times2; ++u)
        for (std::int64_t t = 0; t < group.times; ++t)
          operands.push_back({scaled(
              draw(child, origin + group.at + t * group.step + u * group.step2),
              operands.empty() && group.shape.scale == spec::Scale::fused ? spec::Scale::rounded
                                                                          : group.shape.scale)});
    }
    return join(operands, chain.format);
  }

  int scaled(int index, spec::Scale scale) {
    if (scale == spec::Scale::none) return index;
    Part out;
    out.kind = Part::Kind::scaled;
    out.scale = scale;
    out.first = part(index).first;
    out.leaves = part(index).leaves;
    out.operands = {{index}};
    return add_part(std::move(out));
  }

  int join(const std::vector<Operand>& operands, spec::NodeFormat format) {
    const bool many = operands.size() > kMostSingles;
    int total = -1;
    bool open_fold = false;  // total is a fold of this chain that may take more operands
    for (const Operand& operand : operands) {
      const Part& right = part(operand.part);
      const bool single = operand.copies == 1 && !operand.in_turn && !many;
      if (total < 0 && (single || operand.in_turn)) {
        total = operand.part;
        continue;
      }
      if (single) {
        total = combine(Part::Kind::add, {{total}, operand}, format);
        open_fold = false;
      } else if (open_fold) {
        Part& fold = picture_.parts[static_cast<std::size_t>(total)];
        // Operands come before what uses them: the fold moves behind the new one.
        Part moved = std::move(fold);
        moved.operands.push_back(operand);
        moved.leaves += right.leaves * operand.copies;
        moved.first = std::min(moved.first, right.first);
        total = add_part(std::move(moved));
      } else {
        std::vector<Operand> both;
        if (total >= 0) both.push_back({total});
        both.push_back(operand);
        total = combine(Part::Kind::fold, std::move(both), format);
        open_fold = true;
      }
    }
    return total;
  }

  int combine(Part::Kind kind, std::vector<Operand> operands, spec::NodeFormat format) {
    Part out;
    out.kind = kind;
    out.format = format;
    out.leaves = 0;
    out.first = part(operands.back().part).first;
    for (const Operand& operand : operands) {
      Part& each = picture_.parts[static_cast<std::size_t>(operand.part)];
      // What takes no summand stands beside the operand that it meets.
      if (each.is_bottom() && each.leaves == 0) {
        if (out.leaves > 0)
          each.first = out.first + out.leaves;
        else
          each.first = out.first;
      }
      out.first = std::min(out.first, each.first);
      out.leaves += each.leaves * operand.copies;
    }
    out.operands = std::move(operands);
    return add_part(std::move(out));
  }

  Picture& picture_;
  std::vector<ChainView> chains_;
};

}  // namespace

int fold_schema(Picture& picture, const spec::Schema& schema, std::int64_t q, std::int64_t r,
                std::int64_t at, int width) {
  return Folder(picture, schema, q, r).run(at, width);
}

}  // namespace reprosum::report

// Fits the descriptions of several trees to one linear schema.
#include "reveal/infer/schema_fit.h"

#include <map>
#include <vector>

namespace reprosum::reveal::generalize {
namespace {

class Fit {
 public:
  Fit(TreeStore& store, std::span<const Sample> samples) : store_(store), samples_(samples) {
    for (std::size_t i = 0; i < samples.size(); ++i)
      for (std::size_t j = i + 1; j < samples.size(); ++j) {
        const Sample &a = samples[i], &b = samples[j];
        if (a.r == b.r && a.q != b.q && !along_q_) along_q_ = {i, j};
        if (a.q == b.q && a.r != b.r && !along_r_) along_r_ = {i, j};
      }
  }

  std::optional<spec::Schema> run() {
    std::vector<TreeId> roots;
    for (const Sample& sample : samples_) roots.push_back(sample.tree);
    spec::Shape root;
    if (!shape(roots, root, 1)) return std::nullopt;
    if (root.is_leaf()) {  // a schema's root is a chain, so that of n = 1 has one item
      spec::Item item;
      item.shape = root;
      schema_.chains.push_back({spec::NodeFormat::narrow, {item}});
    }
    return schema_;
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  bool shape(const std::vector<TreeId>& trees, spec::Shape& out, int depth) {
    bool leaves = false, chains = false;
    for (const TreeId tree : trees) (store_.node(tree).is_leaf() ? leaves : chains) = true;
    if (leaves && chains) return false;
    if (leaves) {
      for (const TreeId tree : trees)
        if (tree != trees[0]) return false;
      const auto& leaf = store_.node(trees[0]);
      out = {-1, leaf.leaf, spec::Scale::none, leaf.skip};
      return true;
    }
    const auto known = chains_.find(trees);
    if (known != chains_.end()) {
      out = {known->second, spec::Leaf::rounded};
      return known->second >= 0;
    }
    const std::int32_t index = depth < spec::kMaxDepth ? chain(trees, depth) : -1;
    chains_[trees] = index;
    out = {index, spec::Leaf::rounded};
    return index >= 0;
  }

  // Index of the new chain, or -1.
  std::int32_t chain(const std::vector<TreeId>& trees, int depth) {
    std::vector<const Description*> all;
    for (const TreeId tree : trees) all.push_back(&store_.describe(tree));
    spec::Chain chain;
    chain.format = all[0]->format;
    for (const Description* one : all)
      if (one->runs.size() != all[0]->runs.size() || one->format != chain.format) return -1;
    for (std::size_t k = 0; k < all[0]->runs.size(); ++k) {
      spec::Item item;
      std::vector<TreeId> shapes;
      for (const Description* one : all) shapes.push_back(one->runs[k].shape);
      const auto number = [&](std::int64_t Run::*field, spec::Linear& out) {
        std::vector<std::int64_t> values;
        for (const Description* one : all) values.push_back(one->runs[k].*field);
        return linear(values, out);
      };
      if (!number(&Run::at, item.at) || !number(&Run::step, item.step) ||
          !number(&Run::times, item.times) || !number(&Run::step2, item.step2) ||
          !number(&Run::times2, item.times2) || !shape(shapes, item.shape, depth + 1))
        return -1;
      chain.items.push_back(item);
    }
    for (std::size_t k = 0; k < schema_.chains.size(); ++k)  // equal chains are written once
      if (schema_.chains[k] == chain && depth > 1) return static_cast<std::int32_t>(k);
    schema_.chains.push_back(chain);
    return static_cast<std::int32_t>(schema_.chains.size()) - 1;
  }

  bool linear(const std::vector<std::int64_t>& values, spec::Linear& out) const {
    const auto slope = [&](const std::optional<Pair>& pair, std::int64_t run, std::int64_t& a) {
      if (!pair) return true;
      const std::int64_t rise = values[pair->second] - values[pair->first];
      a = rise / run;
      return rise % run == 0;
    };
    const auto gap = [&](const std::optional<Pair>& pair, std::int64_t Sample::*field) {
      return pair ? samples_[pair->second].*field - samples_[pair->first].*field : 1;
    };
    if (!slope(along_q_, gap(along_q_, &Sample::q), out.q) ||
        !slope(along_r_, gap(along_r_, &Sample::r), out.r))
      return false;
    out.c = values[0] - out.q * samples_[0].q - out.r * samples_[0].r;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (out.at(samples_[k].q, samples_[k].r) != values[k]) return false;
    return true;
  }

  TreeStore& store_;
  std::span<const Sample> samples_;
  std::optional<Pair> along_q_, along_r_;
  std::map<std::vector<TreeId>, std::int32_t> chains_;
  spec::Schema schema_;
};

}  // namespace

std::optional<spec::Schema> fit_schema(TreeStore& store, std::span<const Sample> samples) {
  return Fit(store, samples).run();
}

}  // namespace reprosum::reveal::generalize

// An oracle that knows the trees: answers by lowest common ancestors, never shows more than asked.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <random>
#include <tuple>
#include <vector>

#include "reveal/oracle.h"

namespace reprosum::reveal::test {

using Generator = std::function<spec::Tree(std::int64_t)>;

class SyntheticOracle : public Oracle {
 public:
  SyntheticOracle(Generator generate, std::uint64_t seed)
      : generate_(std::move(generate)), random_(seed) {}

  std::int64_t pair(std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t lo,
                    std::int64_t hi) override;
  std::vector<std::int64_t> pairs(std::int64_t n, std::int64_t i, std::span<const std::int64_t> js,
                                  std::int64_t lo, std::int64_t hi) override;
  spec::Tree reveal(std::int64_t n, std::int64_t lo, std::int64_t hi) override;
  bool verify(std::int64_t n, const spec::Tree& predicted, int probes, std::int64_t lo,
              std::int64_t hi) override;
  std::int64_t calls() const override { return calls_; }
  std::unique_ptr<Oracle> lanes(std::function<Lane(std::int64_t)> where) override;

 private:
  // A tree with what makes lowest common ancestors quick.
  struct Indexed {
    explicit Indexed(spec::Tree t);
    // Position of the lowest common ancestor in the program.
    std::size_t ancestor(std::int64_t i, std::int64_t j) const;
    std::int64_t size(std::size_t op) const;
    // Sum of random weights of the leaves below: equal sets have equal weights.
    std::uint64_t weight(std::size_t op) const;

    spec::Tree tree;
    std::vector<std::uint32_t> start, parent, jump, place;
    std::vector<std::uint64_t> weights;  // prefix sums in program order
  };
  const Indexed& at(std::int64_t n, std::int64_t lo, std::int64_t hi);

  Generator generate_;
  std::mt19937_64 random_;
  std::list<std::pair<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Indexed>> cache_;
  std::int64_t calls_ = 0;
};

}  // namespace reprosum::reveal::test

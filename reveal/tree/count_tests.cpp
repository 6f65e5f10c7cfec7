// Group testing by counts, all pending groups of a round in one batch.
#include "reveal/tree/count_tests.h"

#include <cmath>
#include <sstream>

#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

struct Range {
  std::size_t group, begin, end;
  std::size_t asked_end;    // begin .. asked_end is what the next call asks
  std::int64_t total = -1;  // how many of begin .. end say yes; -1: the call asks for all of them
};

std::int64_t decode(double output, std::size_t size, double no, double yes) {
  const double count = (output - no) / yes;
  if (!(count >= 0 && count <= double(size)) || count != std::floor(count)) {
    std::ostringstream text;
    text << std::hexfloat << "an arithmetic probe of " << size << " nodes gave " << output
         << ", which is no count of " << yes;
    throw Refused("unknown_arithmetic", text.str());
  }
  return static_cast<std::int64_t>(count);
}

[[noreturn]] void inconsistent() {
  throw Refused("unknown_arithmetic", "arithmetic probes of two halves do not add up to the whole");
}

}  // namespace

std::vector<bool> count_tests(Prober& prober, const std::vector<std::vector<CountTest>>& groups,
                              std::size_t ids, double no, double yes, double other) {
  std::vector<bool> answers(ids, false);
  std::vector<Range> pending;
  const auto settle = [&](const Range& range, std::int64_t count, std::vector<Range>& open) {
    const auto size = static_cast<std::int64_t>(range.end - range.begin);
    if (count < 0 || count > size) inconsistent();
    if (count == size)
      for (std::size_t k = range.begin; k < range.end; ++k)
        answers[groups[range.group][k].id] = true;
    else if (count > 0)
      open.push_back(
          {range.group, range.begin, range.end, range.begin + std::size_t(size) / 2, count});
  };
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (!groups[g].empty()) pending.push_back({g, 0, groups[g].size(), groups[g].size()});
  const std::vector<double> zeros(static_cast<std::size_t>(prober.n()), 0.0);
  const std::uint64_t base_id = fresh_base_id();
  while (!pending.empty()) {
    std::vector<Probe> probes;
    for (const Range& range : pending) {
      Probe probe;
      for (std::size_t k = range.begin; k < range.asked_end; ++k) {
        const Probe& one = groups[range.group][k].probe;
        probe.x.insert(probe.x.end(), one.x.begin(), one.x.end());
        probe.y.insert(probe.y.end(), one.y.begin(), one.y.end());
      }
      probes.push_back(std::move(probe));
    }
    const std::vector<double> outputs = prober.run(zeros, probes, other, base_id);
    std::vector<Range> open;
    for (std::size_t p = 0; p < pending.size(); ++p) {
      const Range& range = pending[p];
      const std::int64_t found = decode(outputs[p], range.asked_end - range.begin, no, yes);
      settle({range.group, range.begin, range.asked_end, 0}, found, open);
      if (range.total >= 0)
        settle({range.group, range.asked_end, range.end, 0}, range.total - found, open);
    }
    pending = std::move(open);
  }
  return answers;
}

}  // namespace reprosum::reveal

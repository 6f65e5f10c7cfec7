#include "reveal/capture/merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "reveal/check/drawn_increments.h"

namespace reprosum::reveal {
namespace {

void add(spec::Certificate& sum, const spec::Certificate& part) {
  sum.shapes_learned = std::max(sum.shapes_learned, part.shapes_learned);
  sum.shapes_checked += part.shapes_checked;
  sum.outputs_checked += part.outputs_checked;
  sum.special_outputs += part.special_outputs;
  for (const auto& [name, calls] : part.classes) sum.classes[name] += calls;
  for (const auto size : {&spec::Shape3::m, &spec::Shape3::n, &spec::Shape3::k})
    sum.largest.*size = std::max(sum.largest.*size, part.largest.*size);
  sum.calls += part.calls;
  sum.seed = std::max(sum.seed, part.seed);
  for (const std::string& what : part.not_checked)
    if (std::find(sum.not_checked.begin(), sum.not_checked.end(), what) == sum.not_checked.end())
      sum.not_checked.push_back(what);
}

// Contexts that differ in increments and threads alone.
struct Group {
  std::map<int, std::vector<spec::Increments>> increments;  // by threads
  std::map<int, spec::Certificate> certificates;
};

}  // namespace

void append_entries(spec::Routine routine, spec::Type type,
                    const std::vector<CapturedContext>& contexts,
                    const std::vector<CapturedRules>& rules, spec::Spec& spec) {
  using Rest = std::tuple<std::size_t, spec::Guard, std::int64_t, std::int64_t>;
  std::map<Rest, Group> groups;
  for (const CapturedContext& context : contexts) {
    spec::Guard rest = context.guard;
    const int threads = std::exchange(rest.threads, {}).at(0);
    const std::vector<spec::Increments> own = std::exchange(rest.increments, {});
    Group& group = groups[{context.rules, rest, context.m_max, context.n_max}];
    auto& increments = group.increments[threads];
    increments.insert(increments.end(), own.begin(), own.end());
    add(group.certificates[threads], context.certificate);
  }
  for (const auto& [key, group] : groups) {
    // Thread counts with the same increments form one product.
    std::map<std::vector<spec::Increments>, std::set<int>> products;
    for (const auto& [threads, increments] : group.increments)
      products[spec::merged(increments)].insert(threads);
    const CapturedRules& held = rules.at(std::get<0>(key));
    for (const auto& [increments, threads] : products) {
      spec::Entry entry;
      entry.routine = routine;
      entry.type = type;
      std::tie(std::ignore, entry.guard, entry.m_max, entry.n_max) = key;
      entry.guard.increments = increments;
      entry.guard.threads.assign(threads.begin(), threads.end());
      entry.regimes = held.regimes;
      entry.certificate = held.certificate;
      for (const int t : threads) add(entry.certificate, group.certificates.at(t));
      if (std::string what = increments_not_checked(increments); !what.empty())
        entry.certificate.not_checked.push_back(std::move(what));
      spec.entries.push_back(std::move(entry));
    }
  }
}

}  // namespace reprosum::reveal

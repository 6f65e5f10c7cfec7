#include "bench/replay_contexts.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace reprosum::bench {
namespace {

std::vector<std::pair<int, int>> admitted_addresses(const spec::Entry& entry) {
  const int step = spec::bytes(entry.type);
  std::vector<std::pair<int, int>> all;
  for (int x = 0; x < 64; x += step) {
    for (int y = 0; y < (entry.routine == spec::Routine::sum ? 1 : 64); y += step) {
      if (entry.guard.addresses.admits({x, y})) all.emplace_back(x, y);
    }
  }
  return all;
}

// Gives each context of one routine its vectors; the sum is `vectors` or, for the sake of one
// vector per context, a little more.
void share(std::vector<ReplayContext*>& contexts, std::int64_t vectors) {
  const auto others = static_cast<std::int64_t>(
      std::count_if(contexts.begin(), contexts.end(), [](const auto* c) { return !c->unit(); }));
  const auto units = static_cast<std::int64_t>(contexts.size()) - others;
  std::int64_t each = vectors * 3 / 100;
  if (units == 0)
    each = (vectors + others - 1) / std::max<std::int64_t>(others, 1);
  else if (others > 20)
    each = vectors * 3 / 5 / others;
  each = std::max<std::int64_t>(each, 1);
  for (ReplayContext* context : contexts)
    context->vectors =
        context->unit() ? std::max<std::int64_t>((vectors - others * each + units - 1) / units, 1)
                        : each;
}

}  // namespace

bool ReplayContext::unit() const {
  return increments.admits(1, entry->routine == spec::Routine::sum ? 0 : 1);
}

std::int64_t ReplayContext::count() const {
  return std::max<std::int64_t>(std::ssize(entry->guard.addresses.residues), 1);
}

std::vector<ReplayRow> replay_rows(const spec::Spec& spec, std::int64_t vectors) {
  std::map<std::tuple<spec::Routine, spec::Type, int>, ReplayRow> rows;
  for (const spec::Entry& entry : spec.entries) {
    if (spec::has_matrices(entry.routine)) continue;
    for (const int threads : entry.guard.threads) {
      ReplayRow& row = rows[{entry.routine, entry.type, threads}];
      row.routine = entry.routine;
      row.type = entry.type;
      row.threads = threads;
      for (const spec::Increments& increments : entry.guard.increments)
        row.contexts.push_back({&entry, threads, increments, admitted_addresses(entry), 0});
    }
  }
  std::map<std::pair<spec::Routine, spec::Type>, std::vector<ReplayContext*>> routines;
  std::vector<ReplayRow> all;
  for (auto& [key, row] : rows) {
    std::stable_partition(row.contexts.begin(), row.contexts.end(),
                          [](const ReplayContext& context) { return context.unit(); });
    all.push_back(std::move(row));
  }
  for (ReplayRow& row : all)
    for (ReplayContext& context : row.contexts)
      routines[{row.routine, row.type}].push_back(&context);
  for (auto& [key, contexts] : routines) share(contexts, vectors);
  return all;
}

}  // namespace reprosum::bench

#include "reveal/capture/merge.h"

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "reveal/check/drawn_increments.h"

namespace reprosum::reveal {

void append_entries(spec::Routine routine, spec::Type type, const std::vector<Piece>& pieces,
                    const std::vector<spec::Certificate>& certificates, spec::Spec& spec) {
  using Increments = std::vector<spec::Increments>;
  struct Group {
    std::map<int, Increments> by_threads;
    std::map<int, std::int64_t> replayed;
  };
  std::map<std::tuple<std::size_t, std::int64_t, spec::AddressGuard>, Group> groups;
  for (const Piece& piece : pieces) {
    Group& group = groups[{piece.order, piece.n_max, piece.addresses}];
    Increments& increments = group.by_threads[piece.threads];
    increments.insert(increments.end(), piece.increments.begin(), piece.increments.end());
    group.replayed[piece.threads] += piece.replayed;
  }
  for (const auto& [key, group] : groups) {
    // Thread counts with the same increments form one product.
    std::map<Increments, std::set<int>> products;
    for (const auto& [threads, increments] : group.by_threads)
      products[spec::merged(increments)].insert(threads);
    for (const auto& [increments, threads] : products) {
      spec::Entry entry;
      entry.routine = routine;
      entry.type = type;
      std::tie(entry.order, entry.n_max, entry.guard.addresses) = key;
      entry.guard.increments = increments;
      entry.guard.threads.assign(threads.begin(), threads.end());
      entry.certificate = certificates[entry.order];
      for (const int t : threads) entry.certificate.random_vectors += group.replayed.at(t);
      if (std::string what = increments_not_checked(increments); !what.empty())
        entry.certificate.not_checked.push_back(std::move(what));
      spec.entries.push_back(std::move(entry));
    }
  }
}

}  // namespace reprosum::reveal

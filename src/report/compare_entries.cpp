// diff of two specs, one group of contexts after the other.
#include "src/report/comparison.h"
#include "src/report/entries.h"

namespace reprosum::report {
namespace {

Json side(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries) {
  Json out = Json::array();
  for (const spec::Entry* entry : entries)
    out.push_back({{"rules", summary(spec, *entry)}, {"largest", largest_text(*entry)}});
  return out;
}

}  // namespace

std::vector<Comparison> compare_entries(const spec::Spec& a, const spec::Spec& b,
                                        const ThreadPair& threads) {
  std::vector<Comparison> out;
  OrderComparer orders(a, b);
  RegionComparer regions(a, b);
  for (const Pairing& pairing : pair_entries(a, b, threads)) {
    Comparison one;
    if (pairing.a.empty() || pairing.b.empty())
      one.verdict = pairing.a.empty() ? "only in B" : "only in A";
    else
      one =
          spec::has_matrices(pairing.routine) ? regions.compare(pairing) : orders.compare(pairing);
    one.routine = pairing.name;
    one.contexts = text_of(pairing);
    Json json{{"routine", one.routine},
              {"verdict", one.verdict},
              {"contexts", contexts_of(pairing)},
              {"entries_a", side(a, pairing.a)},
              {"entries_b", side(b, pairing.b)}};
    if (!one.json.is_null()) json.update(one.json);
    one.json = std::move(json);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace reprosum::report

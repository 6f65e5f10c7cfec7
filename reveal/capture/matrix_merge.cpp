// From pieces to entries: contexts that share rules and everything else become one.
#include <map>
#include <set>
#include <tuple>

#include "reveal/capture/matrix_routine.h"

namespace reprosum::reveal {
namespace {

void add(spec::MatrixCertificate& sum, const spec::MatrixCertificate& part) {
  sum.shapes_learned = std::max(sum.shapes_learned, part.shapes_learned);
  sum.shapes_checked += part.shapes_checked;
  sum.outputs_checked += part.outputs_checked;
  sum.special_outputs += part.special_outputs;
  for (const auto& [name, products] : part.classes) sum.classes[name] += products;
  sum.largest_m = std::max(sum.largest_m, part.largest_m);
  sum.largest_n = std::max(sum.largest_n, part.largest_n);
  sum.largest_k = std::max(sum.largest_k, part.largest_k);
  sum.calls += part.calls;
  sum.seed = part.seed;
  sum.not_checked = part.not_checked;
}

}  // namespace

void append_matrices(spec::Routine routine, spec::Type type, const std::vector<MatrixPiece>& pieces,
                     const std::vector<std::vector<spec::MatrixRegime>>& rules,
                     const spec::Shape3& largest, spec::Spec& spec) {
  using Increments = std::vector<spec::Increments>;
  // Everything that one entry has only one of.
  using Key = std::tuple<std::size_t, spec::Trans, spec::Trans, bool, int, spec::Leadings, bool,
                         bool, bool, spec::AddressGuard, spec::Beta, bool>;
  struct Group {
    std::map<int, Increments> by_threads;
    std::map<int, spec::MatrixCertificate> certificates;
    Outputs outputs = Outputs::all;  // which the rules are for
  };
  std::map<Key, Group> groups;
  for (const MatrixPiece& piece : pieces) {
    Group& group =
        groups[{piece.rules, piece.trans_a, piece.trans_b, piece.row_major, piece.alignment,
                piece.leading, piece.limits.finite_only, piece.limits.alpha_one,
                piece.limits.nonzero_only, piece.addresses, piece.beta, piece.nan_beta_is_zero}];
    group.outputs = piece.outputs;
    Increments& increments = group.by_threads[piece.threads];
    increments.insert(increments.end(), piece.increments.begin(), piece.increments.end());
    add(group.certificates[piece.threads], piece.certificate);
  }
  for (const auto& [key, group] : groups) {
    std::map<Increments, std::set<int>> products;
    for (const auto& [threads, increments] : group.by_threads)
      products[spec::merged(increments)].insert(threads);
    for (const auto& [increments, threads] : products) {
      spec::MatrixEntry entry;
      entry.routine = routine;
      entry.type = type;
      entry.regimes = rules[std::get<0>(key)];
      entry.guard.trans_a = std::get<1>(key);
      entry.guard.trans_b = std::get<2>(key);
      entry.guard.row_major = std::get<3>(key);
      entry.guard.alignment = std::get<4>(key);
      entry.guard.leading = std::get<5>(key);
      entry.guard.finite_only = std::get<6>(key);
      entry.guard.alpha_one = std::get<7>(key);
      entry.guard.nonzero_only = std::get<8>(key);
      entry.guard.addresses = std::get<9>(key);
      entry.guard.beta = std::get<10>(key);
      entry.guard.nan_beta_is_zero = std::get<11>(key);
      entry.guard.increments = increments;
      entry.guard.threads.assign(threads.begin(), threads.end());
      const spec::Shape3 most = largest_of(group.outputs, largest);
      entry.m_max = most.m;
      entry.n_max = routine == spec::Routine::gemv ? 1 : most.n;
      for (const int t : threads) add(entry.certificate, group.certificates.at(t));
      if (std::string what = increments_not_checked(increments); !what.empty())
        entry.certificate.not_checked.push_back(std::move(what));
      spec.matrices.push_back(std::move(entry));
    }
  }
}

}  // namespace reprosum::reveal

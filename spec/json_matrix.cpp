// The entries of gemv and gemm to and from JSON values.
#include <string>
#include <tuple>
#include <utility>

#include "spec/json.h"
#include "spec/json_lists.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

constexpr std::int64_t kAny = INT64_MAX;
// A's is always said, the others where they matter.
constexpr const char* kLeadingKeys[kLeadingPlaces] = {"leading", "leading_b", "leading_c"};

json places_of(const Residues& values, Routine routine) {
  json out = json::array();
  for (std::size_t k = 0; k < address_places(routine); ++k) out.push_back(values[k]);
  return out;
}

json json_of(const MatrixGuard& guard, Routine routine) {
  json out = {{"trans", transposes_of(routine, guard.trans_a, guard.trans_b)},
              {"increments", json_of(guard.increments)},
              {"threads", guard.threads},
              {"row_major", guard.row_major ? 1 : 0},
              {"alignment", guard.alignment},
              {"finite_only", guard.finite_only ? 1 : 0},
              {"alpha_one", guard.alpha_one ? 1 : 0},
              {"leading", word_of(kLeadingWords, guard.leading[0])}};
  for (std::size_t k = 1; k < kLeadingPlaces; ++k)
    if (guard.leading[k] != Leading::any)
      out[kLeadingKeys[k]] = word_of(kLeadingWords, guard.leading[k]);
  if (guard.nonzero_only) out["nonzero_only"] = 1;
  if (guard.beta != Beta::any) out["beta"] = word_of(kBetaWords, guard.beta);
  if (guard.nan_beta_is_zero) out["beta_nan"] = "zero";
  if (guard.addresses.is_any()) return out;
  json residues = json::array();
  for (const Residues& one : guard.addresses.residues) residues.push_back(places_of(one, routine));
  out["addresses"] = {{"moduli", places_of(guard.addresses.moduli, routine)},
                      {"residues", std::move(residues)}};
  return out;
}

Trans trans_from(const Place& place, std::size_t at) {
  const char letter = place.text()[at];
  if (letter != 'N' && letter != 'T') place.fail("expected the letters N and T");
  return letter == 'T' ? Trans::yes : Trans::no;
}

int power_of_two(const Place& place) {
  const auto value = static_cast<int>(place.integer(1, kAddressModulus));
  if ((value & (value - 1)) != 0) place.fail("expected a power of two");
  return value;
}

AddressGuard addresses_from(const Place& place, Routine routine, Type type) {
  place.expect_keys({"moduli", "residues"});
  const Place moduli = place["moduli"], residues = place["residues"];
  const std::size_t places = address_places(routine);
  const int size = bytes(type);
  AddressGuard guard;
  if (moduli.size() != places) moduli.fail("expected " + std::to_string(places) + " moduli");
  for (std::size_t k = 0; k < places; ++k) guard.moduli[k] = power_of_two(moduli[k]);
  if (residues.size() > kMostResidues)
    residues.fail("more than " + std::to_string(kMostResidues) + " residues");
  for (std::size_t at = 0; at < residues.size(); ++at) {
    const Place one = residues[at];
    if (one.size() != places) one.fail("expected a residue for each modulus");
    Residues& values = guard.residues.emplace_back();
    values.fill(0);
    for (std::size_t k = 0; k < places; ++k) {
      values[k] = static_cast<int>(one[k].integer(0, guard.moduli[k] - 1));
      if (values[k] % size != 0) one[k].fail("not a multiple of the element's size");
    }
  }
  expect_ascending(residues, guard.residues);
  AddressGuard canonical = guard;
  canonicalize(canonical, type);
  if (canonical != guard || guard.is_any())
    place.fail("the same addresses have smaller moduli, or none are said");
  return guard;
}

MatrixGuard matrix_guard_from(const Place& place, Routine routine, Type type) {
  place.expect_keys(
      {"trans", "increments", "threads", "row_major", "alignment", "finite_only", "alpha_one",
       "leading"},
      {"addresses", "beta", "beta_nan", "nonzero_only", kLeadingKeys[1], kLeadingKeys[2]});
  MatrixGuard guard;
  const Place increments = place["increments"], threads = place["threads"];
  std::tie(guard.trans_a, guard.trans_b) = transposes_from(place["trans"], routine);
  guard.increments = increments_from(increments);
  if (routine == Routine::gemm && guard.increments != std::vector<Increments>{{1, 1}})
    increments.fail("a gemm has the increments (1, 1)");
  read_list(threads, guard.threads, 1, 1 << 20);
  expect_ascending(threads, guard.threads);
  if (guard.threads.empty()) threads.fail("no thread count is admitted");
  guard.row_major = place["row_major"].integer(0, 1) != 0;
  guard.alignment = power_of_two(place["alignment"]);
  guard.finite_only = place["finite_only"].integer(0, 1) != 0;
  guard.alpha_one = place["alpha_one"].integer(0, 1) != 0;
  if (place.has("nonzero_only")) guard.nonzero_only = place["nonzero_only"].integer(1, 1) != 0;
  for (std::size_t k = 0; k < kLeadingPlaces; ++k) {
    if (k > 0 && !place.has(kLeadingKeys[k])) continue;
    const Place leading = place[kLeadingKeys[k]];
    guard.leading[k] = word_from(leading, kLeadingWords, "kind of leading dimension");
    if (k == 0) continue;
    if (routine == Routine::gemv) leading.fail("a gemv has the leading dimension of A alone");
    if (guard.leading[k] == Leading::any) leading.fail("any is not said");
  }
  if (place.has("beta")) {
    const Place beta = place["beta"];
    guard.beta = word_from(beta, kBetaWords, "kind of beta");
    if (guard.beta == Beta::any) beta.fail("any is not said");
  }
  if (place.has("beta_nan")) {
    const Place nan = place["beta_nan"];
    if (nan.text() != "zero") nan.fail("expected \"zero\" or nothing");
    guard.nan_beta_is_zero = true;
  }
  if (place.has("addresses")) guard.addresses = addresses_from(place["addresses"], routine, type);
  return guard;
}

MatrixCertificate matrix_certificate_from(const Place& place) {
  place.expect_keys({"shapes_learned", "shapes_checked", "outputs_checked", "special_outputs",
                     "largest_m", "largest_n", "largest_k", "calls", "seed", "not_checked"},
                    {"classes"});
  MatrixCertificate out;
  out.shapes_learned = place["shapes_learned"].integer(0, kAny);
  out.shapes_checked = place["shapes_checked"].integer(0, kAny);
  out.outputs_checked = place["outputs_checked"].integer(0, kAny);
  out.special_outputs = place["special_outputs"].integer(0, kAny);
  out.largest_m = place["largest_m"].integer(0, kMaxInteger);
  out.largest_n = place["largest_n"].integer(0, kMaxInteger);
  out.largest_k = place["largest_k"].integer(0, kMaxInteger);
  out.calls = place["calls"].integer(0, kAny);
  out.seed = place["seed"].unsigned_integer();
  if (place.has("classes")) out.classes = classes_from(place["classes"]);
  const Place not_checked = place["not_checked"];
  for (std::size_t k = 0; k < not_checked.size(); ++k)
    out.not_checked.push_back(not_checked[k].text());
  return out;
}

}  // namespace

std::string transposes_of(Routine routine, Trans trans_a, Trans trans_b) {
  const auto letter = [](Trans trans) { return trans == Trans::yes ? 'T' : 'N'; };
  std::string out(1, letter(trans_a));
  if (routine == Routine::gemm) out += letter(trans_b);
  return out;
}

std::pair<Trans, Trans> transposes_from(const Place& place, Routine routine) {
  if (place.text().size() != (routine == Routine::gemm ? 2u : 1u))
    place.fail("expected one letter for each matrix operand");
  const Trans trans_a = trans_from(place, 0);
  return {trans_a, routine == Routine::gemm ? trans_from(place, 1) : Trans::no};
}

json json_of(const MatrixCertificate& certificate) {
  json out{{"shapes_learned", certificate.shapes_learned},
           {"shapes_checked", certificate.shapes_checked},
           {"outputs_checked", certificate.outputs_checked},
           {"special_outputs", certificate.special_outputs},
           {"largest_m", certificate.largest_m},
           {"largest_n", certificate.largest_n},
           {"largest_k", certificate.largest_k},
           {"calls", certificate.calls},
           {"seed", certificate.seed},
           {"not_checked", certificate.not_checked}};
  if (!certificate.classes.empty()) out["classes"] = certificate.classes;
  return out;
}

json json_of_meaning(const MatrixEntry& entry) {
  json regimes = json::array();
  for (const MatrixRegime& regime : entry.regimes) regimes.push_back(json_of(regime));
  return {{"routine", word_of(kMatrixRoutineWords, entry.routine)},
          {"type", name(entry.type)},
          {"guard", json_of(entry.guard, entry.routine)},
          {"regimes", std::move(regimes)},
          {"m_max", entry.m_max},
          {"n_max", entry.n_max}};
}

MatrixEntry matrix_entry_from(const Place& place, const std::vector<OrderRead>& orders) {
  place.expect_keys({"routine", "type", "guard", "regimes", "m_max", "n_max", "certificate"});
  MatrixEntry entry;
  entry.routine = word_from(place["routine"], kMatrixRoutineWords, "routine");
  entry.type = type_from(place["type"]);
  entry.guard = matrix_guard_from(place["guard"], entry.routine, entry.type);
  const Place regimes = place["regimes"];
  if (regimes.size() == 0) regimes.fail("expected a regime");
  for (std::size_t k = 0; k < regimes.size(); ++k)
    entry.regimes.push_back(regime_from(regimes[k], orders));
  entry.m_max = place["m_max"].integer(1, kMaxInteger);
  entry.n_max = place["n_max"].integer(1, kMaxInteger);
  if (entry.routine == Routine::gemv && entry.n_max != 1) place["n_max"].fail("a gemv has n = 1");
  entry.certificate = matrix_certificate_from(place["certificate"]);
  return entry;
}

}  // namespace reprosum::spec

// The entries of gemv and gemm to and from JSON values.
#include <string>
#include <utility>

#include "spec/json.h"
#include "spec/json_lists.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

constexpr std::int64_t kAny = INT64_MAX;
Trans trans_from(const Place& place, std::size_t at) {
  const char letter = place.text()[at];
  if (letter != 'N' && letter != 'T') place.fail("expected the letters N and T");
  return letter == 'T' ? Trans::yes : Trans::no;
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
  entry.guard = guard_from(place["guard"], entry.routine, entry.type);
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

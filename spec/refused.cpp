#include "spec/refused.h"

namespace reprosum::spec {

std::string refused_because(const Spec& spec, const std::string& routine,
                            const std::string& context) {
  constexpr std::size_t kMostDetail = 300;  // what a document says may be long
  for (const Refusal& refusal : spec.refusals) {
    if (refusal.routine != routine) continue;
    std::string_view where = refusal.context;
    if (where.starts_with(routine)) where.remove_prefix(routine.size());
    while (where.starts_with(' ')) where.remove_prefix(1);
    if (!where.starts_with(context)) continue;
    std::string text = "; the capture refused it: " + refusal.reason;
    if (!refusal.detail.empty()) text += ", " + refusal.detail.substr(0, kMostDetail);
    return text;
  }
  return "";
}

}  // namespace reprosum::spec

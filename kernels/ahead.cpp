#include "kernels/ahead.h"

#include <algorithm>
#include <variant>

#include "kernels/code_store.h"
#include "kernels/kernel.h"
#include "kernels/matrix/needed_tiles.h"
#include "spec/error.h"
#include "spec/sha256.h"
#include "spec/surface.h"

namespace reprosum::kernels {

std::string ahead_prefix(Isa isa, const std::string& what) {
  constexpr std::size_t kDigits = 16;
  return "reprosum_" +
         spec::sha256_hex(std::string(name(isa)) + "\n" + what + "\n" +
                          std::to_string(kGeneratorVersion))
             .substr(0, kDigits) +
         "_";
}

void AheadObjects::add(const std::string& what, const CodeRequest& request) {
  if (!asked_.insert(what).second) return;
  AheadObject made;
  made.what = what;
  made.prefix = ahead_prefix(isa_, what);
  CodeTarget target = code_target(isa_);
  target.prefix = made.prefix.c_str();
  GeneratedCode code = backend(isa_).compile(target, request);
  const auto* order = std::get_if<OrderRequest>(&request);
  if (order != nullptr && order->part == CodePart::single && !code.why.empty())
    left_.push_back(what + "\n" + code.why);
  if (code.bytes.empty()) return;
  made.why = std::move(code.why);
  made.bytes = std::move(code.bytes);
  for (const std::string& function : code.functions) {
    if (!function.starts_with(made.prefix)) throw InternalError("a function without its prefix");
    made.functions.push_back(function.substr(made.prefix.size()));
  }
  objects_.push_back(std::move(made));
}

bool AheadObjects::add(const spec::Order& order, spec::Routine routine, spec::Type type) {
  const std::string hash = spec::meaning_hash(order);
  bool any = false;
  for (const CodePart part : {CodePart::single, CodePart::batch, CodePart::strided}) {
    const std::string what = request_name(hash, routine, type, part);
    add(what, OrderRequest{order, routine, type, part});
    any = any || std::any_of(objects_.begin(), objects_.end(),
                             [&](const AheadObject& made) { return made.what == what; });
  }
  return any;
}

AheadObjects make_ahead(const spec::Spec& spec, Isa isa, const std::vector<std::string>& routines,
                        const std::vector<spec::Shape3>& shapes) {
  AheadObjects objects(isa);
  const auto is_wanted = [&](spec::Routine routine, spec::Type type) {
    if (!spec::is_native(type)) return false;  // there are no kernels for other numbers
    return routines.empty() || std::find(routines.begin(), routines.end(),
                                         spec::blas_name(routine, type)) != routines.end();
  };
  NeededTiles tiles(objects, shapes);
  for (const spec::Entry& entry : spec.entries) {
    if (!is_wanted(entry.routine, entry.type)) continue;
    if (spec::has_matrices(entry.routine))
      tiles.add(spec, entry);
    else if (spec::order_of(entry) < kMaxGeneratedOrders)
      objects.add(spec.orders.at(spec::order_of(entry)), entry.routine, entry.type);
  }
  tiles.check_covered();
  return objects;
}

}  // namespace reprosum::kernels

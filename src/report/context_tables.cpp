#include "src/report/context_tables.h"

#include "src/report/entries.h"
#include "src/report/wording.h"

namespace reprosum::report {

std::vector<const spec::Entry*> entries_of(const spec::Spec& spec) {
  std::vector<const spec::Entry*> out;
  for (const spec::Entry& entry : spec.entries) out.push_back(&entry);
  return out;
}

std::string entries_table(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries) {
  Table table({"routine", "inc", "threads", "rows", "addresses", "only with", "up to", "outputs",
               "calls", "order"});
  for (const spec::Entry* entry : entries) {
    const char* const row_major = entry->guard.row_major ? "yes" : "no";
    table.add({routine_name(*entry), increments_text(entry->guard.increments, entry->routine),
               threads_text(entry->guard), spec::has_matrices(entry->routine) ? row_major : "",
               addresses_text(entry->guard, entry->routine),
               limits_text(entry->guard, entry->routine), largest_text(*entry),
               with_commas(entry->certificate.outputs_checked),
               with_commas(entry->certificate.calls), summary(spec, *entry)});
  }
  return table.empty() ? "" : table.text({7, 8});
}

}  // namespace reprosum::report

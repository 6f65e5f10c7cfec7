#include "src/cli/context_tables.h"

#include "spec/surface.h"
#include "src/cli/entries.h"
#include "src/cli/matrix_entries.h"
#include "src/cli/output.h"

namespace reprosum::cli {

std::string entries_table(const spec::Spec& spec, const std::vector<const spec::Entry*>& entries) {
  Table table({"routine", "inc", "threads", "addresses", "n up to", "vectors", "calls", "order"});
  for (const spec::Entry* entry : entries)
    table.add({routine_name(*entry), increments_text(entry->guard, entry->routine),
               threads_text(entry->guard), addresses_text(entry->guard, entry->routine),
               with_commas(entry->n_max), with_commas(entry->certificate.random_vectors),
               with_commas(entry->certificate.calls), spec::describe(spec.orders[entry->order])});
  return table.empty() ? "" : table.text({4, 5, 6});
}

std::string matrices_table(const std::vector<const spec::MatrixEntry*>& entries) {
  Table table({"routine", "inc", "threads", "rows", "addresses", "only with", "m x n x k up to",
               "outputs", "calls", "rules"});
  for (const spec::MatrixEntry* entry : entries)
    table.add({routine_name(*entry), increments_text(entry->guard, entry->routine),
               threads_text(entry->guard), entry->guard.row_major ? "yes" : "no",
               addresses_text(entry->guard, entry->routine),
               limits_text(entry->guard, entry->routine), largest_text(*entry),
               with_commas(entry->certificate.outputs_checked),
               with_commas(entry->certificate.calls), rules_text(*entry)});
  return table.empty() ? "" : table.text({7, 8});
}

}  // namespace reprosum::cli

// From captured contexts to the entries of a spec: contexts that share rules become one entry.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/spec.h"

namespace reprosum::reveal {

// Which output follows which order, with what was done to believe it in any context.
struct CapturedRules {
  std::vector<spec::MatrixRegime> regimes;
  spec::Certificate certificate;
};

// One captured context: increments, a thread count, a class of addresses, ...
struct CapturedContext {
  spec::Guard guard;      // with one thread count
  std::size_t rules = 0;  // index into the capture's rules
  std::int64_t m_max = 1, n_max = 1;
  spec::Certificate certificate;  // beside that of the rules
};

// Appends entries for the contexts. A guard is a product of increments, threads and everything
// else, so only contexts that fill such a product share an entry.
void append_entries(spec::Routine routine, spec::Type type,
                    const std::vector<CapturedContext>& contexts,
                    const std::vector<CapturedRules>& rules, spec::Spec& spec);

}  // namespace reprosum::reveal

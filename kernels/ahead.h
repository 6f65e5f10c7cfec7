// Objects ahead of time: all code that replaying a spec asks for, made for a linker.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backends.h"
#include "spec/spec.h"

namespace reprosum::kernels {

struct AheadObject {
  std::string what;    // as load_code() asks for it
  std::string prefix;  // before the names of its functions, so that objects can be linked together
  std::string why;     // which calls the interpreter serves, and why
  std::string bytes;
  std::vector<std::string> functions;  // without the prefix
};

// The same code has the same names, whichever spec it is made from: a linker takes it once.
std::string ahead_prefix(Isa isa, const std::string& what);

// Makes each requested object once.
class AheadObjects {
 public:
  // @pre the backend compiles
  explicit AheadObjects(Isa isa) : isa_(isa) {}

  Isa isa() const { return isa_; }
  // Single calls, batches and calls with increments of a sum or dot. Gives whether code was made.
  bool add(const spec::Order& order, spec::Routine routine, spec::Type type);
  void add(const std::string& what, const CodeRequest& request);
  const std::vector<AheadObject>& objects() const { return objects_; }
  // For each order of which not all could be made: why.
  const std::vector<std::string>& left() const { return left_; }

 private:
  const Isa isa_;
  std::set<std::string> asked_;
  std::vector<AheadObject> objects_;
  std::vector<std::string> left_;
};

// The sums and dots of the spec that one of `routines` names ("sdot"; none: all), and the tiles of
// its products that calls of these shapes take (none: ahead_sizes() and ahead_lengths()). A product
// of another shape may need a tile that is not among them; then it is generated, or the interpreter
// does its rectangle. Throws UserError for a shape that no such product of the spec covers.
// On the compile thread.
AheadObjects make_ahead(const spec::Spec& spec, Isa isa, const std::vector<std::string>& routines,
                        const std::vector<spec::Shape3>& shapes);

}  // namespace reprosum::kernels

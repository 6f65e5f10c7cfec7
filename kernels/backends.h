// What can run an order. Each backend is one row of one table; the command line, REPROSUM_ISA, the
// runtime and the tests read the table and know no row by themselves.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/code_request.h"
#include "kernels/code_target.h"
#include "kernels/loaded_object.h"

namespace reprosum::kernels {

// A backend by its place in the table. A later one is better where the host can run both.
class Isa {
 public:
  constexpr Isa() = default;  // the interpreter, which every host runs
  constexpr explicit Isa(std::size_t index) : index_(static_cast<std::uint8_t>(index)) {}
  constexpr std::size_t index() const { return index_; }
  auto operator<=>(const Isa&) const = default;

  static const Isa interpreter, neon, sve, sve256, sve512, avx2, avx512, opencl, cuda;

 private:
  std::uint8_t index_ = 0;
};

inline constexpr Isa Isa::interpreter{0}, Isa::neon{1}, Isa::sve{2}, Isa::sve256{3}, Isa::sve512{4},
    Isa::avx2{5}, Isa::avx512{6}, Isa::opencl{7}, Isa::cuda{8};

using Objects = std::vector<std::pair<std::string, std::string>>;  // name, bytes

struct Backend {
  const char* name = "";
  const char* other_name = "";  // that is understood as well; "" if there is none
  CodeTarget target;            // vector_bits also sizes the tiles of products
  bool (*runs_here)() = nullptr;
  // Each nullptr where the backend cannot; they run on the compile thread. Text for people, and
  // objects for load() or a linker.
  GeneratedCode (*print)(const CodeTarget&, const CodeRequest&) = nullptr;
  GeneratedCode (*compile)(const CodeTarget&, const CodeRequest&) = nullptr;
  // Throws EnvironmentError if that is no object of this machine that needs nothing from outside.
  std::shared_ptr<const LoadedObject> (*load)(const std::string& object) = nullptr;
  // Objects, by the names of their files, as one static library.
  std::string (*archive)(const Objects& objects) = nullptr;
  // What an object depends on besides the request and the target: the compiler and the host.
  std::string (*version)() = nullptr;
  // Whether it runs on a device of its own (kernels/device/), on operands in the device's memory.
  // Then runs_here() looks for one, which loads drivers.
  bool on_device = false;
};

inline constexpr std::size_t kMaxBackends = 12;

// @pre the table has the row
const Backend& backend(Isa isa);
inline const char* name(Isa isa) { return backend(isa).name; }
inline const CodeTarget& code_target(Isa isa) { return backend(isa).target; }

std::vector<Isa> all_isas();  // in the table's sequence
// Whether this process can run it on operands of its own: the host does, and code is made here or
// was linked in. Never a device's: what it has no kernels for, somebody else must do.
bool can_run(Isa isa);
std::string why_not(Isa isa);                          // in words, of one that it cannot run
std::vector<Isa> host_isas();                          // those it can run; the best is last
std::optional<Isa> find_isa(const std::string& name);  // by either name
std::string isa_names();                               // "interpreter, avx2, ..." for messages

// One more row, the best. Before other threads use the table.
Isa add_backend(const Backend& row);

}  // namespace reprosum::kernels

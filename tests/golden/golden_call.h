// The calls of a golden list: fixed by a few numbers, so that two hosts make the same of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/launch/matrix_launches.h"
#include "kernels/launch/sum_launches.h"
#include "spec/spec.h"
#include "src/runtime/device_work.h"

namespace reprosum::golden {

struct Call {
  bool is_product = false;  // as the entry says: lists write sums and products in their own ways
  std::size_t entry = 0;    // of Spec::entries
  spec::Shape3 shape;       // a sum's: m rows of k summands
  std::int64_t kind = 0;    // of the data, in a sum's first row; the next rows have the next
  std::uint64_t seed = 0;
  std::string inputs, outputs;  // SHA-256 of all values, alpha and beta first; every NaN is one
};

// The calls of one spec, which must outlive this. One thread at a time.
class SpecCalls {
 public:
  explicit SpecCalls(const spec::Spec& spec) : spec_(spec) {}

  // Awkward sizes of every order of the spec that entries have and of every rule of gemv and gemm,
  // each once; hostile data and every other kind of data.
  std::vector<Call> all() const;

  // Fills in both hashes, by the interpreter. `why` is what UserError says where the order is not
  // defined at that size, or devices have no kernels for it: lists have no such call.
  bool interpret(Call& call, std::string& why);

  // With the texts that the call needs.
  kernels::launch::Launches launches(const Call& call);

  // The call with the hashes of what this host draws and what the device makes of it.
  Call run(const Call& call, runtime::DeviceWork& work);

  // "sdot of entry 3, n = 127, 20 rows, seed 5"
  std::string describe(const Call& call) const;

 private:
  template <class T>
  void interpret_as(Call& call) const;
  template <class T>
  kernels::launch::Launches launches_as(const Call& call);
  template <class T>
  Call run_as(const Call& call, runtime::DeviceWork& work);
  // Throws UserError where it is of the other kind.
  const spec::Entry& entry_of(const Call& call) const;
  bool is_f32(const Call& call) const;

  const spec::Spec& spec_;
  std::map<std::size_t, std::unique_ptr<const kernels::launch::SumLaunches>> sums_;
  std::map<std::size_t, std::unique_ptr<const kernels::launch::MatrixLaunches>> products_;
};

}  // namespace reprosum::golden

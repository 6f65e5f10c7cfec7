// Code for this process: linked into the program, from the cache on disk, or made by a backend and
// kept there.
#pragma once

#include <memory>
#include <string>

#include "kernels/backends.h"

namespace reprosum::kernels {

// The functions that are asked for, or nullptr if nothing can be generated. `what` names the
// request, in lines: the hash of the order, the routine, the part. *why says which calls the
// interpreter serves, and why. Called on the compile thread.
std::shared_ptr<const LoadedObject> load_code(Isa isa, const std::string& what,
                                              const CodeRequest& request,
                                              const std::string& cache_directory,
                                              std::string* why = nullptr);

// `what` of a part of a sum or dot.
std::string request_name(const std::string& order_hash, spec::Routine routine, spec::Type type,
                         CodePart part);

// The objects of one sum or dot.
class CodeStore {
 public:
  CodeStore(const spec::Order& order, spec::Routine routine, spec::Type type, std::string hash,
            Isa isa, std::string cache_directory)
      : order_(&order),
        routine_(routine),
        type_(type),
        hash_(std::move(hash)),
        isa_(isa),
        cache_directory_(std::move(cache_directory)) {}

  void set_order(const spec::Order& order) { order_ = &order; }  // when the kernel owns its copy

  // As load_code().
  std::shared_ptr<const LoadedObject> load(CodePart part, std::string* why) const;

 private:
  const spec::Order* order_;
  spec::Routine routine_;
  spec::Type type_;
  std::string hash_;
  Isa isa_;
  std::string cache_directory_;
};

}  // namespace reprosum::kernels

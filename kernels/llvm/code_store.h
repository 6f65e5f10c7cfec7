// The objects of one kernel: from the cache on disk, or generated and kept there.
#pragma once

#include <memory>
#include <string>

#include "kernels/llvm/generate_order.h"
#include "kernels/llvm/load_object.h"

namespace reprosum::kernels {

// Processor and features of this host, a part of every key: a cache on a shared file system may be
// read by another machine. On the compile thread.
const std::string& host_features();

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

  // nullptr if nothing can be generated; *why names what is left to the interpreter. On the compile
  // thread.
  std::shared_ptr<const LoadedObject> load(CodePart part, std::string* why) const;

 private:
  std::string key(CodePart part) const;
  const spec::Order* order_;
  spec::Routine routine_;
  spec::Type type_;
  std::string hash_;
  Isa isa_;
  std::string cache_directory_;
};

}  // namespace reprosum::kernels

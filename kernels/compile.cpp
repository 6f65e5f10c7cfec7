// compile(): kernels by name, each made once per process.
#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "kernels/code_store.h"
#include "kernels/generated_kernel.h"
#include "kernels/kernel.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::kernels {
namespace {

template <class T>
struct Made {
  std::shared_ptr<const Kernel<T>> kernel;
  std::string why;
};

template <class T>
Made<T> make(const spec::Order& order, spec::Routine routine, const std::string& hash, Isa isa,
             const std::string& cache_directory) {
  const auto hosts = host_isas();
  CodeStore store(order, routine, sizeof(T) == 4 ? spec::Type::f32 : spec::Type::f64, hash, isa,
                  cache_directory);
  std::string why;
  if (std::find(hosts.begin(), hosts.end(), isa) == hosts.end()) {
    why = std::string("this host cannot run ") + name(isa);
    isa = Isa::interpreter;
  }
  return {make_kernel<T>(order, routine, hash, isa, std::move(store), why), why};
}

}  // namespace

template <class T>
std::shared_ptr<const Kernel<T>> compile(const spec::Order& order, spec::Routine routine,
                                         const CompileOptions& options, std::string* why) {
  if (routine != spec::Routine::sum && routine != spec::Routine::dot)
    throw UserError("no kernels for this routine");
  if (spec::is_update(order))
    throw UserError("the order is that of a matrix update: it names the output or alpha");
  using Future = std::shared_future<Made<T>>;
  static std::mutex mutex;
  static auto& kernels =
      *new std::map<std::tuple<std::string, spec::Routine, Isa, std::string>, Future>;
  const std::string hash = spec::meaning_hash(order);
  const auto key = std::tuple(hash, routine, options.isa, options.cache_directory);
  std::promise<Made<T>> promise;
  Future future;
  bool mine = false;
  {
    const std::lock_guard lock(mutex);
    const auto it = kernels.find(key);
    mine = it == kernels.end();
    future = mine ? promise.get_future().share() : it->second;
    if (mine) kernels.emplace(key, future);
  }
  if (mine) {
    try {
      promise.set_value(make<T>(order, routine, hash, options.isa, options.cache_directory));
    } catch (...) {
      promise.set_exception(std::current_exception());
      const std::lock_guard lock(mutex);
      kernels.erase(key);
    }
  }
  const Made<T>& made = future.get();
  if (why != nullptr) *why = made.why;
  return made.kernel;
}

template std::shared_ptr<const Kernel<float>> compile(const spec::Order&, spec::Routine,
                                                      const CompileOptions&, std::string*);
template std::shared_ptr<const Kernel<double>> compile(const spec::Order&, spec::Routine,
                                                       const CompileOptions&, std::string*);

Listing listing(const spec::Order& order, spec::Routine routine, spec::Type type, Isa isa) {
  if (isa == Isa::interpreter) throw UserError("the interpreter has no generated code");
  const GeneratedCode code =
      generate_order(order, routine, type, code_target(isa), false, CodeForm::assembly, true);
  return {code.ir, code.bytes};
}

}  // namespace reprosum::kernels

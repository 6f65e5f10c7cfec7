// compile(): kernels by name, each made once per process.
#include <exception>
#include <map>
#include <new>
#include <tuple>
#include <utility>

#include "kernels/code_store.h"
#include "kernels/compile_thread.h"
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

using Key = std::tuple<std::string, spec::Routine, Isa, std::string>;

template <class T>
CodeStore store_of(const spec::Order& order, const Key& key) {
  const auto& [hash, routine, isa, directory] = key;
  return {order, routine, spec::type_of<T>(), hash, isa, directory};
}

template <class T>
Made<T> interpreted(const spec::Order& order, const Key& key, std::string why) {
  const auto& [hash, routine, isa, directory] = key;
  std::string ignored;
  return {make_kernel<T>(order, routine, hash, Isa::interpreter, store_of<T>(order, key), ignored),
          std::move(why)};
}

template <class T>
Made<T> make(const spec::Order& order, const Key& key) {
  const auto& [hash, routine, isa, directory] = key;
  try {
    std::string why;
    return {make_kernel<T>(order, routine, hash, isa, store_of<T>(order, key), why), why};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return interpreted<T>(order, key, error.what());
  }
}

// On the compile thread.
template <class T>
std::map<Key, Made<T>>& all_made() {
  static auto& all = *new std::map<Key, Made<T>>;
  return all;
}

template <class T>
Made<T> generated(const spec::Order& order, spec::Routine routine, const CompileOptions& options,
                  bool& for_now) {
  Made<T> made;
  Key key{"", routine, options.isa, options.cache_directory};
  const auto look_up = [&](const auto& make_it) {
    return [&] {
      if (std::get<0>(key).empty()) std::get<0>(key) = spec::meaning_hash(order);
      auto& all = all_made<T>();
      auto found = all.find(key);
      if (found == all.end()) found = all.emplace(key, make_it()).first;
      made = found->second;
    };
  };
  JobEnd end = on_compile_thread(look_up([&] { return make<T>(order, key); }));
  if (end == JobEnd::gave_up)
    end = on_compile_thread(
        look_up([&] { return interpreted<T>(order, key, "LLVM gave up on the order"); }));
  for_now = end != JobEnd::done;
  if (for_now) {
    std::get<0>(key).clear();
    made = interpreted<T>(order, key, "no thread could be had to make kernels");
  }
  return made;
}

}  // namespace

template <class T>
std::shared_ptr<const Kernel<T>> compile(const spec::Order& order, spec::Routine routine,
                                         const CompileOptions& options, std::string* why,
                                         bool* for_now) {
  if (routine != spec::Routine::sum && routine != spec::Routine::dot)
    throw UserError("no kernels for this routine");
  if (spec::is_update(order))
    throw UserError("the order is that of a matrix update: it names the output or alpha");
  Made<T> made;
  bool is_for_now = false;
  const bool runs_here = can_run(options.isa), is_fused = spec::has_fused_nodes(order);
  // The interpreter says so, at each n at which it is so.
  const bool lacks_wide = spec::is_f64(spec::type_of<T>()) && spec::has_wide(order);
  if (runs_here && options.isa != Isa::interpreter && !is_fused && !lacks_wide) {
    made = generated<T>(order, routine, options, is_for_now);
  } else {
    const Key key{"", routine, options.isa, options.cache_directory};
    made = interpreted<T>(order, key,
                          !runs_here   ? why_not(options.isa)
                          : is_fused   ? "nodes that fuse several terms are interpreted"
                          : lacks_wide ? "nothing is wider than f64"
                                       : "");
  }
  if (why != nullptr) *why = made.why;
  if (for_now != nullptr) *for_now = is_for_now;
  return made.kernel;
}

template std::shared_ptr<const Kernel<float>> compile(const spec::Order&, spec::Routine,
                                                      const CompileOptions&, std::string*, bool*);
template std::shared_ptr<const Kernel<double>> compile(const spec::Order&, spec::Routine,
                                                       const CompileOptions&, std::string*, bool*);

Listing listing(const spec::Order& order, spec::Routine routine, spec::Type type, Isa isa) {
  if (backend(isa).print == nullptr)
    throw UserError(std::string("the backend ") + name(isa) + " has no text to show");
  GeneratedCode code;
  const JobEnd end = on_compile_thread([&] {
    code =
        backend(isa).print(code_target(isa), OrderRequest{order, routine, type, CodePart::single});
  });
  if (end == JobEnd::gave_up) throw InternalError("LLVM gave up on the order");
  if (end == JobEnd::no_thread)
    throw EnvironmentError("the system grants no thread to make kernels");
  return {code.ir, code.bytes};
}

}  // namespace reprosum::kernels

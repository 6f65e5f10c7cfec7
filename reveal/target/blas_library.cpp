#include "reveal/target/blas_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "reveal/target/library_cores.h"
#include "reveal/target/loaded_file.h"
#include "src/base/read_file.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

// Result is what the function is taken to return.
template <typename T, typename Result = T>
double call_sum(void* address, bool fortran, const BlasArguments& a) {
  const T* x = static_cast<const T*>(a.x);
  const BlasInteger n = a.n, incx = a.incx;
  if (fortran) {
    using Fortran = Result (*)(const BlasInteger*, const T*, const BlasInteger*);
    return reinterpret_cast<Fortran>(address)(&n, x, &incx);
  }
  return reinterpret_cast<Result (*)(BlasInteger, const T*, BlasInteger)>(address)(n, x, incx);
}

template <typename T, typename Result = T>
double call_dot(void* address, bool fortran, const BlasArguments& a) {
  const T* x = static_cast<const T*>(a.x);
  const T* y = static_cast<const T*>(a.y);
  const BlasInteger n = a.n, incx = a.incx, incy = a.incy;
  if (fortran) {
    using Fortran =
        Result (*)(const BlasInteger*, const T*, const BlasInteger*, const T*, const BlasInteger*);
    return reinterpret_cast<Fortran>(address)(&n, x, &incx, y, &incy);
  }
  using Cblas = Result (*)(BlasInteger, const T*, BlasInteger, const T*, BlasInteger);
  return reinterpret_cast<Cblas>(address)(n, x, incx, y, incy);
}

template <typename Result>
double call_narrow(Routine routine, void* address, bool fortran, const BlasArguments& arguments) {
  return routine == Routine::sum ? call_sum<float, Result>(address, fortran, arguments)
                                 : call_dot<float, Result>(address, fortran, arguments);
}

// f2c, and compilers in its convention, return what Fortran calls REAL as a double, in the same
// register: read as a float, it is the lower half of a number. Only where each sum of small
// integers is right as a double and wrong as a float it is one. Returns the evidence, or "".
std::string double_for_float(Routine routine, void* address, bool fortran) {
  const float x[] = {3, 5, 7}, y[] = {1, 1, 1};
  std::string sums, floats;
  double sum = 0;
  for (int n = 1; n <= 3; ++n) {
    sum += static_cast<double>(x[n - 1]);
    BlasArguments arguments;
    arguments.n = n;
    arguments.x = x;
    arguments.y = y;
    const double as_float = call_narrow<float>(routine, address, fortran, arguments);
    const double as_double = call_narrow<double>(routine, address, fortran, arguments);
    if (as_float == sum || as_double != sum) return "";
    const char* const comma = n == 1 ? "" : ", ";
    sums += fmt::format("{}{:g}", comma, sum);
    floats += fmt::format("{}{:g}", comma, as_float);
  }
  return fmt::format("sums of {} read as doubles are right, and as floats {}", sums, floats);
}

}  // namespace

BlasLibrary::BlasLibrary(const std::string& name, std::vector<std::string> identity_symbols)
    : identity_symbols_(std::move(identity_symbols)) {
  // A FIFO would keep dlopen waiting.
  if (const std::string kind = base::irregular_library(name); !kind.empty())
    throw TargetError("cannot_load", name + " is " + kind);
  handle_ = dlopen(name.c_str(), RTLD_NOW);
  if (!handle_) {
    const char* message = dlerror();
    throw TargetError("cannot_load", message ? message : "cannot load " + name);
  }
  form_ = symbol_form(handle_);
  for (std::size_t i = 0; i < kRoutines.size(); ++i) {
    const std::string base = spec::blas_name(kRoutines[i].first, kRoutines[i].second);
    const std::string fortran = form_.fortran(base), cblas = form_.cblas(base);
    entries_[i].symbols = {dlsym(handle_, fortran.c_str()), dlsym(handle_, cblas.c_str())};
    entries_[i].symbol = entries_[i].symbols.fortran ? fortran : cblas;
  }
}

void* BlasLibrary::find(const std::string& symbol) const {
  if (void* const decorated = dlsym(handle_, form_.other(symbol).c_str())) return decorated;
  return dlsym(handle_, symbol.c_str());
}

void BlasLibrary::set_threads(const std::vector<std::string>& setters, int threads) const {
  for (const std::string& symbol : setters) {
    void* const address = find(symbol);
    if (address != nullptr) reinterpret_cast<void (*)(int)>(address)(threads);
  }
}

// Asked before the first call and not when the library is loaded: a function that crashes is the
// trouble of its own routine.
void BlasLibrary::require_float(int routine, bool fortran) {
  Entry& entry = entries_[static_cast<std::size_t>(routine)];
  Returns& returns = fortran ? entry.fortran_returns : entry.cblas_returns;
  if (returns == Returns::a_float) return;
  const auto [kind, type] = kRoutines[static_cast<std::size_t>(routine)];
  const std::string evidence =
      double_for_float(kind, fortran ? entry.symbols.fortran : entry.symbols.cblas, fortran);
  if (evidence.empty()) {
    returns = Returns::a_float;
    return;
  }
  const std::string base = spec::blas_name(kind, type);
  throw TargetError(
      "returns_double",
      fmt::format("{} returns a double where callers of BLAS expect a float: {}; so do functions "
                  "that f2c or gfortran -ff2c has made; build the library without -ff2c and "
                  "capture that one",
                  fortran ? form_.fortran(base) : form_.cblas(base), evidence));
}

void BlasLibrary::call(int routine, const BlasArguments& arguments, double* output) {
  const auto index = static_cast<std::size_t>(routine);
  const Entry& entry = entries_[index];
  const auto [kind, type] = kRoutines[index];
  const bool fortran = entry.symbols.fortran && !arguments.cblas;
  void* const address = fortran ? entry.symbols.fortran : entry.symbols.cblas;
  if (spec::is_f32(type)) {
    require_float(routine, fortran);
    *output = call_narrow<float>(kind, address, fortran, arguments);
  } else {
    *output = kind == Routine::sum ? call_sum<double>(address, fortran, arguments)
                                   : call_dot<double>(address, fortran, arguments);
  }
}

void BlasLibrary::call(int routine, const MatrixArguments& arguments) {
  const bool narrow = spec::is_f32(kRoutines[static_cast<std::size_t>(routine)].second);
  narrow ? call_matrix<float>(matrix_symbols(routine), arguments)
         : call_matrix<double>(matrix_symbols(routine), arguments);
}

void BlasLibrary::keep_to(const CoreSet& cores) {
  keep_library_to(cores, matrix_symbols(routine_index(Routine::gemm, Type::f64)));
}

std::vector<std::pair<std::string, std::string>> BlasLibrary::describe() const {
  std::vector<std::pair<std::string, std::string>> facts = describe_file(handle_);
  const std::string path = facts.empty() ? "" : facts.front().second;
  std::string provider = path;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.address()) continue;
    const auto [routine, type] = kRoutines[i];
    const std::string base = spec::blas_name(routine, type);
    facts.emplace_back("symbol." + base, entry.symbol);
    if (entry.has_both()) facts.emplace_back(kOtherFace + base, form_.cblas(base));
    const bool matrix = routine == Routine::gemv || routine == Routine::gemm;
    if (matrix && entry.symbols.cblas) facts.emplace_back("row_major." + base, form_.cblas(base));
    if (const std::string file = file_of(entry.address()); !file.empty()) provider = file;
  }
  // A system BLAS is often a thin file whose routines live in the library that it needs.
  if (provider != path) facts.emplace_back("provider.path", provider);
  const auto others = describe_others({path, provider});
  facts.insert(facts.end(), others.begin(), others.end());
  for (const std::string& symbol : identity_symbols_) {
    void* const address = find(symbol);
    const char* text = address ? reinterpret_cast<const char* (*)()>(address)() : nullptr;
    if (text) facts.emplace_back("says." + symbol, text);
  }
  return facts;
}

}  // namespace reprosum::reveal

#include "reveal/target/blas_library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "src/base/read_file.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

template <typename T>
double call_sum(void* address, bool fortran, const BlasArguments& a) {
  const T* x = static_cast<const T*>(a.x);
  const BlasInteger n = a.n, incx = a.incx;
  if (fortran) {
    using Fortran = T (*)(const BlasInteger*, const T*, const BlasInteger*);
    return reinterpret_cast<Fortran>(address)(&n, x, &incx);
  }
  return reinterpret_cast<T (*)(BlasInteger, const T*, BlasInteger)>(address)(n, x, incx);
}

template <typename T>
double call_dot(void* address, bool fortran, const BlasArguments& a) {
  const T* x = static_cast<const T*>(a.x);
  const T* y = static_cast<const T*>(a.y);
  const BlasInteger n = a.n, incx = a.incx, incy = a.incy;
  if (fortran) {
    using Fortran =
        T (*)(const BlasInteger*, const T*, const BlasInteger*, const T*, const BlasInteger*);
    return reinterpret_cast<Fortran>(address)(&n, x, &incx, y, &incy);
  }
  using Cblas = T (*)(BlasInteger, const T*, BlasInteger, const T*, BlasInteger);
  return reinterpret_cast<Cblas>(address)(n, x, incx, y, incy);
}

std::string real_path(const char* path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

std::string soname(const link_map& map) {
  std::uintptr_t strings = 0;
  std::uintptr_t offset = 0;
  bool present = false;
  for (const ElfW(Dyn)* entry = map.l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME) {
      offset = entry->d_un.d_val;
      present = true;
    }
  }
  if (!present || strings == 0) return "";
  if (strings < map.l_addr) strings += map.l_addr;  // some loaders leave it unrelocated
  return reinterpret_cast<const char*>(strings + offset);
}

}  // namespace

int routine_index(Routine routine, Type type) {
  for (std::size_t i = 0; i < kRoutines.size(); ++i) {
    if (kRoutines[i] == std::pair{routine, type}) return static_cast<int>(i);
  }
  throw InternalError("a routine that no BLAS target knows");
}

BlasLibrary::BlasLibrary(const std::string& name) {
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

double BlasLibrary::call(int routine, const BlasArguments& arguments) const {
  const auto index = static_cast<std::size_t>(routine);
  const Entry& entry = entries_[index];
  const bool narrow = kRoutines[index].second == Type::f32;
  const bool fortran = entry.symbols.fortran;
  if (kRoutines[index].first == Routine::sum) {
    return narrow ? call_sum<float>(entry.address(), fortran, arguments)
                  : call_sum<double>(entry.address(), fortran, arguments);
  }
  return narrow ? call_dot<float>(entry.address(), fortran, arguments)
                : call_dot<double>(entry.address(), fortran, arguments);
}

namespace {

// Files of all shared objects of this process, sorted: what a library loads can change its bits, a
// runtime of threads or of Fortran, or the backend of a wrapper.
std::vector<std::string> mapped_libraries() {
  std::vector<std::string> paths;
  const auto note = [](dl_phdr_info* info, std::size_t, void* to) {
    // Neither the program itself nor what the kernel maps has a path.
    if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/')
      static_cast<std::vector<std::string>*>(to)->push_back(real_path(info->dlpi_name));
    return 0;
  };
  dl_iterate_phdr(note, &paths);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> BlasLibrary::describe(
    const std::vector<std::string>& identity_symbols) const {
  std::vector<std::pair<std::string, std::string>> facts;
  std::string path;
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map) {
    path = real_path(map->l_name);
    facts.emplace_back("library.path", path);
    if (const std::string name = soname(*map); !name.empty()) {
      facts.emplace_back("library.soname", name);
    }
  }
  std::string provider = path;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.address()) continue;
    const auto [routine, type] = kRoutines[i];
    const std::string base = spec::blas_name(routine, type);
    facts.emplace_back("symbol." + base, entry.symbol);
    const bool matrix = routine == Routine::gemv || routine == Routine::gemm;
    if (matrix && entry.symbols.cblas) facts.emplace_back("row_major." + base, form_.cblas(base));
    Dl_info info{};
    if (dladdr(entry.address(), &info) != 0 && info.dli_fname) provider = real_path(info.dli_fname);
  }
  // A system BLAS is often a thin file whose routines live in the library that it needs.
  if (provider != path) facts.emplace_back("provider.path", provider);
  for (const std::string& other : mapped_libraries())
    if (other != path && other != provider)
      facts.emplace_back("mapped." + other.substr(other.rfind('/') + 1) + ".path", other);
  for (const std::string& symbol : identity_symbols) {
    void* const address = find(symbol);
    const char* text = address ? reinterpret_cast<const char* (*)()>(address)() : nullptr;
    if (text) facts.emplace_back("says." + symbol, text);
  }
  return facts;
}

}  // namespace reprosum::reveal

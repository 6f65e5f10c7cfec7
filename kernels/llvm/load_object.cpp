#include "kernels/llvm/load_object.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>

#include <map>
#include <utility>
#include <vector>

#include "kernels/compile_thread.h"
#include "spec/error.h"

namespace reprosum::kernels {
namespace {

using llvm::object::SymbolRef;
using llvm::orc::LLJIT;

[[noreturn]] void fail(const std::string& why) {
  throw EnvironmentError("cannot load a kernel: " + why);
}
[[noreturn]] void fail(llvm::Error error) { fail(llvm::toString(std::move(error))); }

// Never torn down: kernels may run until the very end of the process. Another one where LLVM gave
// up: it may have done so with the locks of this one held.
LLJIT& session() {
  static LLJIT* jit = nullptr;
  static int made_at = 0;
  if (jit == nullptr || made_at != times_given_up()) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto made = llvm::orc::LLJITBuilder().create();
    if (!made) fail(made.takeError());
    jit = made->release();
    made_at = times_given_up();
    // What fails is told to whoever asked for it, and not printed.
    jit->getExecutionSession().setErrorReporter(
        [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  }
  return *jit;
}

// The functions of a closed object of this machine; throws if it is no such thing.
std::vector<std::string> functions_of(const std::string& object, const llvm::Triple& machine) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernel"));
  if (!file) fail(file.takeError());
  if (!(*file)->isRelocatableObject() || (*file)->makeTriple().getArch() != machine.getArch())
    fail("this is no object of this machine");
  std::vector<std::string> names;
  for (const SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto type = symbol.getType();
    auto name = symbol.getName();
    if (!flags) fail(flags.takeError());
    if (!type) fail(type.takeError());
    if (!name) fail(name.takeError());
    if ((*flags & SymbolRef::SF_Undefined) != 0 && !name->empty())
      fail("the object needs " + name->str());
    if ((*flags & SymbolRef::SF_Global) != 0 && *type == SymbolRef::ST_Function)
      names.push_back(name->str());
  }
  if (names.empty()) fail("the object has no function");
  return names;
}

class OrcObject : public LoadedObject {
 public:
  explicit OrcObject(const std::string& object) : jit_(session()) {
    static unsigned number = 0;
    const std::vector<std::string> names = functions_of(object, jit_.getTargetTriple());
    // Objects are closed: a library of their own, with no access to the process's symbols.
    auto library = jit_.getExecutionSession().createJITDylib("kernel" + std::to_string(number++));
    if (!library) fail(library.takeError());
    library_ = &*library;
    try {
      if (auto error = jit_.addObjectFile(*library_, llvm::MemoryBuffer::getMemBufferCopy(object)))
        fail(std::move(error));
      for (const std::string& name : names) {
        auto address = jit_.lookup(*library_, name);
        if (!address) fail(address.takeError());
        functions_[name] = address->toPtr<void*>();
      }
    } catch (...) {
      remove();
      throw;
    }
  }
  // Where no compile thread is left the memory stays.
  ~OrcObject() override {
    try {
      on_compile_thread([this] {
        if (&jit_ == &session()) remove();
      });
    } catch (...) {
      // Nobody could be told.
    }
  }
  void* find(const std::string& name) const override {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : found->second;
  }

 private:
  void remove() { llvm::consumeError(jit_.getExecutionSession().removeJITDylib(*library_)); }

  LLJIT& jit_;
  llvm::orc::JITDylib* library_ = nullptr;
  std::map<std::string, void*> functions_;
};

}  // namespace

std::shared_ptr<const LoadedObject> load_object(const std::string& object) {
  return std::make_shared<OrcObject>(object);
}

}  // namespace reprosum::kernels

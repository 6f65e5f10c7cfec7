#include "kernels/load_object.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>

#include <atomic>
#include <utility>

#include "spec/error.h"

namespace reprosum::kernels {
namespace {

using llvm::orc::LLJIT;

std::string text(llvm::Error error) { return llvm::toString(std::move(error)); }

// One session for the process, never torn down: kernels may run until the very end of it.
LLJIT& session() {
  static LLJIT* const jit = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto made = llvm::orc::LLJITBuilder().create();
    if (!made) throw EnvironmentError("cannot start the code loader: " + text(made.takeError()));
    return made->release();
  }();
  return *jit;
}

class OrcObject : public LoadedObject {
 public:
  explicit OrcObject(const std::string& object) {
    static std::atomic<unsigned> number{0};
    // Objects are closed: a library of their own, with no access to the process's symbols.
    auto library = session().getExecutionSession().createJITDylib(
        "kernel" + std::to_string(number.fetch_add(1)));
    if (!library) throw EnvironmentError("cannot load a kernel: " + text(library.takeError()));
    library_ = &*library;
    if (auto error =
            session().addObjectFile(*library_, llvm::MemoryBuffer::getMemBufferCopy(object)))
      throw EnvironmentError("cannot load a kernel: " + text(std::move(error)));
  }
  ~OrcObject() override {
    llvm::consumeError(session().getExecutionSession().removeJITDylib(*library_));
  }
  void* find(const std::string& name) const override {
    auto address = session().lookup(*library_, name);
    if (!address) {
      llvm::consumeError(address.takeError());
      return nullptr;
    }
    return address->toPtr<void*>();
  }

 private:
  llvm::orc::JITDylib* library_ = nullptr;
};

}  // namespace

std::shared_ptr<const LoadedObject> load_object(const std::string& object) {
  return std::make_shared<OrcObject>(object);
}

}  // namespace reprosum::kernels

#include "tests/kernels/disassembly.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>

#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>

namespace reprosum::kernels::test {
namespace {

using Kind = Operation::Kind;

struct Pattern {
  Kind kind;
  std::regex name;
};

// Names as LLVM's tables have them, such as VFMADD231PSZr, FMLAv4f32, FADD_ZPmZ_D.
std::optional<Operation> operation(const std::string& name, bool is_x86) {
  static const Pattern x86[] = {
      {Kind::fuse, std::regex("VFN?M(ADD|SUB)(132|213|231)[PS][SD].*")},
      {Kind::add, std::regex("V?H?(ADD|SUB)[PS][SD].*")},
      {Kind::multiply, std::regex("V?MUL[PS][SD].*")},
      {Kind::other, std::regex("CALL.*|(ADD|SUB|MUL|DIV|SQRT)_F.*|V?(DIV|SQRT|RCP|RSQRT|DP|ADDSUB|"
                               "FMADDSUB|FMSUBADD|FMADDCP|FMULCP)(14)?[PS]?[SDH].*")}};
  static const Pattern arm[] = {
      {Kind::fuse, std::regex("FN?(MADD|MSUB|MLA|MLS|MAD|MSB)([DS]rrr|v|_Z).*")},
      {Kind::add, std::regex("F(ADD|SUB|SUBR|ADDP)([DS]rr|v|_Z).*")},
      {Kind::multiply, std::regex("FN?MUL([DS]rr|v|_Z).*")},
      {Kind::other, std::regex("BL|BLR|F(DIV|SQRT|ADDV|ADDA|RECP|RSQRT|CADD|CMLA|MULX).*")}};
  static const std::regex wide_x86("V[A-Z]+[0-9]*[PS]D.*"),
      wide_arm(".*(Drrr?|v[12]f64|v[12]i64(p|_indexed)|_D)$");
  for (const Pattern& pattern : is_x86 ? x86 : arm)
    if (std::regex_match(name, pattern.name))
      return Operation{pattern.kind, std::regex_match(name, is_x86 ? wide_x86 : wide_arm),
                       pattern.kind == Kind::other ? name : ""};
  return std::nullopt;
}

class Disassembler {
 public:
  explicit Disassembler(const CodeTarget& target) : triple_(target.triple) {
    LLVMInitializeX86Disassembler();
    LLVMInitializeAArch64Disassembler();
    std::string error;
    const llvm::Target* const machine = llvm::TargetRegistry::lookupTarget(target.triple, error);
    if (machine == nullptr) throw std::runtime_error(error);
    registers_.reset(machine->createMCRegInfo(target.triple));
    assembly_.reset(machine->createMCAsmInfo(*registers_, target.triple, options_));
    subtarget_.reset(machine->createMCSubtargetInfo(target.triple, target.cpu, target.features));
    names_.reset(machine->createMCInstrInfo());
    context_ = std::make_unique<llvm::MCContext>(triple_, assembly_.get(), registers_.get(),
                                                 subtarget_.get());
    code_.reset(machine->createMCDisassembler(*subtarget_, *context_));
  }

  Operations operations(llvm::StringRef bytes) const {
    Operations found;
    const llvm::ArrayRef<std::uint8_t> all(bytes.bytes_begin(), bytes.bytes_end());
    std::uint64_t size = 0;
    for (std::uint64_t at = 0; at < all.size(); at += size) {
      llvm::MCInst instruction;
      if (code_->getInstruction(instruction, size, all.slice(at), at, llvm::nulls()) !=
          llvm::MCDisassembler::Success)
        throw std::runtime_error("no instruction at " + std::to_string(at));
      const auto one = operation(names_->getName(instruction.getOpcode()).str(), triple_.isX86());
      if (one) found.insert(*one);
    }
    return found;
  }

 private:
  const llvm::Triple triple_;
  const llvm::MCTargetOptions options_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCInstrInfo> names_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> code_;
};

}  // namespace

std::string text(const Operations& operations) {
  static constexpr const char* kNames[] = {"add", "multiply", "fuse", ""};
  std::string all;
  for (const Operation& one : operations)
    all += (all.empty() ? "" : " ") +
           (one.kind == Kind::other
                ? one.name
                : std::string(kNames[static_cast<int>(one.kind)]) + (one.is_f64 ? "64" : "32"));
  return all.empty() ? "none" : all;
}

std::map<std::string, Operations> disassembled(const std::string& object,
                                               const CodeTarget& target) {
  const Disassembler disassembler(target);
  const auto file = llvm::cantFail(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernel")));
  std::map<std::string, Operations> functions;
  for (const llvm::object::ELFSymbolRef symbol : file->symbols()) {
    if (llvm::cantFail(symbol.getType()) != llvm::object::SymbolRef::ST_Function) continue;
    const auto section = llvm::cantFail(symbol.getSection());
    functions[llvm::cantFail(symbol.getName()).str()] = disassembler.operations(
        llvm::cantFail(section->getContents())
            .substr(llvm::cantFail(symbol.getValue()) - section->getAddress(), symbol.getSize()));
  }
  return functions;
}

}  // namespace reprosum::kernels::test

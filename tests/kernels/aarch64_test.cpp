// The same emitter for another machine: an AArch64 object, linked with a cross compiler and run in
// an emulator, gives the interpreter's bits.
#include <gtest/gtest.h>
#include <llvm/Support/TargetSelect.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernels/interpreter.h"
#include "kernels/llvm/generate_order.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTools = "qemu-aarch64 --version && aarch64-linux-gnu-g++ --version";

// Data that both machines make alike: integer arithmetic and exact conversions only.
constexpr const char* kData = R"(
template <class T> T datum(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  const std::int64_t mantissa = static_cast<std::int64_t>(state >> 40) - (1 << 23);
  const int e = static_cast<int>((state >> 20) % 40);
  T v = static_cast<T>(mantissa);
  for (int i = 0; i < e; ++i) v *= T(0.5);
  return v;
}
)";

template <class T>
T datum(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  const std::int64_t mantissa = static_cast<std::int64_t>(state >> 40) - (1 << 23);
  const int e = static_cast<int>((state >> 20) % 40);
  T v = static_cast<T>(mantissa);
  for (int i = 0; i < e; ++i) v *= T(0.5);
  return v;
}

int run(const std::string& command) { return std::system(command.c_str()); }

template <class T>
void check(const test::NamedOrder& named, const fs::path& directory) {
  const spec::Order order = spec::parse_order(named.text);
  CodeTarget target;
  target.triple = "aarch64-linux-gnu";
  target.cpu = "generic";
  target.vector_bits = 128;
  const GeneratedCode code = generate_order(order, named.routine, named.type, target,
                                            CodePart::single, CodeForm::object, false);
  ASSERT_FALSE(code.bytes.empty()) << code.why;
  const bool wide = code.bytes.find("piece0_wide") != std::string::npos;
  std::ofstream(directory / "kernel.o", std::ios::binary) << code.bytes;
  const std::string type = sizeof(T) == 4 ? "float" : "double";
  std::ofstream main(directory / "main.cpp");
  main << "#include <cstdint>\n#include <cstdio>\n#include <vector>\n"
       << kData << "extern \"C\" " << (wide ? "double" : type) << " " << piece_name(0, wide)
       << "(const " << type << "*, const " << type << "*, std::int64_t);\n"
       << "int main() { std::uint64_t s = 42; for (int n = 1; n < 200; ++n) {\n std::vector<"
       << type << "> x(n), y(n); for (auto& v : x) v = datum<" << type
       << ">(s); for (auto& v : y) v = datum<" << type << ">(s);\n std::printf(\"%a\\n\", double("
       << type << "(" << piece_name(0, wide) << "(x.data(), y.data(), n)))); } }\n";
  main.close();
  const std::string at = directory.string();
  ASSERT_EQ(run("aarch64-linux-gnu-g++ -static -O1 -ffp-contract=off -o " + at + "/main " + at +
                "/main.cpp " + at + "/kernel.o"),
            0);
  ASSERT_EQ(run("qemu-aarch64 " + at + "/main > " + at + "/out"), 0);
  std::ifstream out(directory / "out");
  std::uint64_t state = 42;
  for (std::int64_t n = 1; n < 200; ++n) {
    std::vector<T> x(static_cast<std::size_t>(n)), y(x.size());
    for (T& v : x) v = datum<T>(state);
    for (T& v : y) v = datum<T>(state);
    const T* second = named.routine == spec::Routine::dot ? y.data() : nullptr;
    const T wanted = evaluate<T>(order, n, x.data(), 1, second, 1);
    std::string line;
    ASSERT_TRUE(std::getline(out, line));
    ASSERT_EQ(static_cast<T>(std::strtod(line.c_str(), nullptr)), wanted) << "n = " << n;
  }
}

TEST(AArch64, RunsTheSameOrdersWithTheSameBits) {
  if (run(std::string("(") + kTools + ") > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no cross compiler or no emulator";
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  std::string name = (fs::temp_directory_path() / "reprosum-aarch64-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const auto orders = test::library_orders();
  for (const std::size_t k : {std::size_t{2}, std::size_t{4}, std::size_t{5}, std::size_t{14}}) {
    SCOPED_TRACE(orders[k].name);
    orders[k].type == spec::Type::f32 ? check<float>(orders[k], name)
                                      : check<double>(orders[k], name);
  }
  fs::remove_all(name);
}

}  // namespace
}  // namespace reprosum::kernels

#include "src/cli/linked_source.h"

#include <fmt/core.h>

#include <cstdint>

namespace reprosum::cli {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      const auto code = static_cast<unsigned char>(c);
      out += code >= 0x20 && code < 0x7f ? std::string(1, c) : std::string("?");
    }
  }
  return out + "\"";
}

// The functions of one object, declared and listed.
std::string functions_of(const kernels::AheadObject& object, std::size_t number) {
  std::string declared, listed;
  for (const std::string& name : object.functions) {
    declared += "void " + object.prefix + name + "(void);\n";
    listed += "    {" + quoted(name) + ", " + object.prefix + name + "},\n";
  }
  return declared +
         fmt::format("static const reprosum_linked_function functions_{}[] = {{\n", number) +
         listed + "};\n";
}

}  // namespace

std::string architecture_of(kernels::Isa isa) {
  const std::string triple = kernels::code_target(isa).triple;
  return triple.substr(0, triple.find('-'));
}

std::string LinkedSource::header() const {
  return fmt::format(
      "/* Made by `reprosum gen`: the kernels of one spec. */\n"
      "#ifndef {0}_H\n#define {0}_H\n\n#include <reprosum/kernels.h>\n\n"
      "#define {0}_SPEC \"{1}\" /* the spec's hash */\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
      "/* Hands the kernels to the library. Runs by itself before main(); its status says whether\n"
      " * the library takes kernels of this generator. */\n"
      "reprosum_status {0}_add(void);\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      name, spec_hash);
}

std::string LinkedSource::source() const {
  std::string code = fmt::format(
      "/* Made by `reprosum gen`: what the spec {}\n"
      " * asks for, by the hashes of its orders. */\n#include \"{}.h\"\n\n",
      spec_hash, name);
  std::string table;
  std::size_t number = 0;
  for (const kernels::AheadObjects& backend : backends) {
    const std::string guard = "#if defined(__" + architecture_of(backend.isa()) + "__)\n";
    code += guard;
    table += guard;
    for (const kernels::AheadObject& object : backend.objects()) {
      code += functions_of(object, number);
      table += fmt::format("    {{{}, {},\n     {}, functions_{}, {}}},\n",
                           quoted(kernels::name(backend.isa())), quoted(object.what),
                           quoted(object.why), number, object.functions.size());
      ++number;
    }
    code += "#endif\n";
    table += "#endif\n";
  }
  // The last row keeps the table from being empty on other machines.
  return code +
         fmt::format(
             "\nstatic const reprosum_linked_object objects[] = {{\n{}    {{0, 0, 0, 0, 0}}}};\n\n"
             "reprosum_status {}_add(void) {{\n"
             "  return reprosum_add_linked_kernels({}, objects,\n"
             "                                     sizeof objects / sizeof objects[0] - 1);\n}}\n\n"
             "__attribute__((constructor)) static void add(void) {{ (void){}_add(); }}\n",
             table, name, kernels::kGeneratorVersion, name);
}

}  // namespace reprosum::cli

// What libreprosum_capture does: capture, verify, compare and show.
#include "reprosum/capture.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/python/faults.h"
#include "src/python/function.h"
#include "src/python/module.h"
#include "src/python/waiting.h"

namespace reprosum::python {
namespace {

namespace nb = nanobind;

struct FreeText {
  void operator()(char* text) const { reprosum_text_free(text); }
};
using Text = std::unique_ptr<char, FreeText>;
struct FreeSpec {
  void operator()(reprosum_spec* spec) const { reprosum_spec_free(spec); }
};
using Spec = std::unique_ptr<reprosum_spec, FreeSpec>;

using Words = std::vector<std::string>;

// Pairs of a name and a value as the C API wants them.
std::vector<const char*> options_of(const Words& words) {
  std::vector<const char*> options;
  for (const std::string& word : words) options.push_back(word.c_str());
  options.push_back(nullptr);
  return options;
}

void checked(reprosum_status status) { check(status, reprosum_capture_last_error()); }

Spec parsed(const nb::bytes& document) {
  reprosum_spec* spec = nullptr;
  const void* const text = document.c_str();
  const std::size_t size = document.size();
  checked(reprosum_spec_parse(text, size, &spec));
  return Spec(spec);
}

nb::bytes document_of(const reprosum_spec* spec) {
  char* json = nullptr;
  checked(reprosum_spec_json(spec, &json));
  const Text text(json);
  return nb::bytes(text.get());
}

std::string text_of(const Text& text) { return text == nullptr ? "" : text.get(); }

std::pair<nb::bytes, std::string> capture(const std::string& target, const Words& words,
                                          nb::object progress) {
  const auto options = options_of(words);
  reprosum_spec* spec = nullptr;
  char* report = nullptr;
  Waiting waiting(std::move(progress));
  waiting.run([&] {
    return reprosum_capture(target.c_str(), options.data(), &Waiting::on_progress, &waiting, &spec,
                            &report);
  });
  const Spec owned(spec);
  const Text text(report);
  return {document_of(owned.get()), text_of(text)};
}

std::pair<bool, std::string> verify(const nb::bytes& document, const std::string& target,
                                    const Words& words, nb::object progress) {
  const Spec spec = parsed(document);
  const auto options = options_of(words);
  int holds = 0;
  char* report = nullptr;
  Waiting waiting(std::move(progress));
  waiting.run([&] {
    return reprosum_verify(spec.get(), target.c_str(), options.data(), &Waiting::on_progress,
                           &waiting, &holds, &report);
  });
  const Text text(report);
  return {holds != 0, text_of(text)};
}

// A call of the C API on this thread, which the function runs on.
template <class Call>
void on_this_thread(Function& function, Call&& call) {
  reprosum_status status = REPROSUM_OK;
  {
    const nb::gil_scoped_release unlocked;
    status = call();
  }
  function.rethrow();
  checked(status);
}

std::pair<nb::bytes, std::string> capture_function(nb::object called, const std::string& name,
                                                   const std::string& facts, int sums, int dots,
                                                   const Words& words, nb::object progress) {
  const auto options = options_of(words);
  Waiting waiting(std::move(progress));
  Function function(std::move(called), name, facts, sums, dots, waiting);
  const reprosum_function described = function.described();
  reprosum_spec* spec = nullptr;
  char* report = nullptr;
  on_this_thread(function, [&] {
    return reprosum_capture_function(&described, options.data(), &Waiting::on_progress, &waiting,
                                     &spec, &report);
  });
  const Spec owned(spec);
  const Text text(report);
  return {document_of(owned.get()), text_of(text)};
}

std::pair<bool, std::string> verify_function(const nb::bytes& document, nb::object called,
                                             const std::string& name, int sums, int dots,
                                             const Words& words, nb::object progress) {
  const Spec spec = parsed(document);
  const auto options = options_of(words);
  Waiting waiting(std::move(progress));
  Function function(std::move(called), name, "", sums, dots, waiting);
  const reprosum_function described = function.described();
  int holds = 0;
  char* report = nullptr;
  on_this_thread(function, [&] {
    return reprosum_verify_function(spec.get(), &described, options.data(), &Waiting::on_progress,
                                    &waiting, &holds, &report);
  });
  const Text text(report);
  return {holds != 0, text_of(text)};
}

std::pair<bool, std::string> diff(const nb::bytes& a, const nb::bytes& b, const Words& words) {
  const Spec first = parsed(a), second = parsed(b);
  const auto options = options_of(words);
  int same = 0;
  char* report = nullptr;
  Waiting(nb::none()).run([&] {
    return reprosum_diff(first.get(), second.get(), options.data(), &same, &report);
  });
  const Text text(report);
  return {same != 0, text_of(text)};
}

std::string show(const nb::bytes& document, const Words& words) {
  const Spec spec = parsed(document);
  const auto options = options_of(words);
  char* out = nullptr;
  Waiting(nb::none()).run([&] { return reprosum_show(spec.get(), options.data(), &out); });
  return text_of(Text(out));
}

}  // namespace

void add_capture(nb::module_& module) {
  module.def("capture", &capture, nb::arg("target"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("verify", &verify, nb::arg("document"), nb::arg("target"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("capture_function", &capture_function, nb::arg("function"), nb::arg("name"),
             nb::arg("facts"), nb::arg("sums"), nb::arg("dots"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("verify_function", &verify_function, nb::arg("document"), nb::arg("function"),
             nb::arg("name"), nb::arg("sums"), nb::arg("dots"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("diff", &diff, nb::arg("a"), nb::arg("b"), nb::arg("options"));
  module.def("show", &show, nb::arg("document"), nb::arg("options"));
}

}  // namespace reprosum::python

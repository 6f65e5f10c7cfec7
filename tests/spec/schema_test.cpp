// The JSON Schema file describes what to_json() writes, judged by an independent validator.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "random_order.h"
#include "sample_orders.h"
#include "sample_regions.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/paths.h"

namespace reprosum::spec {
namespace {

TEST(JsonSchema, AcceptsOursAndRefusesChanged) {
  const std::filesystem::path folder =
      std::filesystem::path(REPROSUM_BINARY_DIR) / "schema_test_documents";
  std::filesystem::create_directories(folder);
  std::string arguments;
  const auto write = [&](const Spec& spec, const std::string& name) {
    const auto path = folder / (name + ".json");
    std::ofstream(path) << to_json(spec);
    arguments.append(" '").append(path.string()).append("'");
  };
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    write(RandomOrders(seed).spec(), "random" + std::to_string(seed));
  Spec samples;
  for (const char* text : samples::kAll) {
    samples.orders.push_back(parse_order(text));
    if (const std::int64_t k_max = covered_to(samples.orders.back()); k_max > 0)
      samples.entries.push_back(entry_of_one_output(
          Routine::dot, Type::f64, vector_guard({{1, 1}}, {1}), samples.orders.size() - 1, k_max));
  }
  canonicalize(samples);
  write(samples, "samples");
  write(samples::skylakex_sgemv(), "regions");
  write(samples::all_routines(), "all_routines");
  const std::string root = REPROSUM_SOURCE_DIR;
  // The distribution's Python first: that is where its python3-jsonschema is.
  const std::string system_python = "/usr/bin/python3";
  const std::string python = std::filesystem::exists(system_python) ? system_python : "python3";
  const std::string command = python + " '" + root + "/tests/spec/schema_test.py' '" + root +
                              "/spec/reprosum-spec.schema.json'" + arguments;
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "python3-jsonschema is absent";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace reprosum::spec

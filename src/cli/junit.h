// Results in the XML that CI systems read.
#pragma once

#include <string>
#include <vector>

namespace reprosum::cli {

struct JunitCase {
  std::string name;
  enum class Verdict { passed, failed, skipped, error } verdict = Verdict::passed;
  std::string detail;  // of all but what passed, in lines
  double seconds = 0;
};

// One suite of that name, in the form that JUnit's reports have.
std::string junit_text(const std::string& suite, const std::vector<JunitCase>& cases);

}  // namespace reprosum::cli

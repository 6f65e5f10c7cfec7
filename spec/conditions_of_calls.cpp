// Conditions on what a call says of itself: transposes, threads, increments and its layout.
#include <algorithm>
#include <tuple>

#include "spec/condition_rows.h"
#include "spec/json.h"
#include "spec/json_lists.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

std::string text(std::int64_t value) { return std::to_string(value); }

Condition transposes() {
  Condition row{};
  row.name = "trans";
  row.keys = {"trans"};
  row.admits = [](const Guard& guard, const Context& call) {
    return guard.trans_a == call.trans_a && guard.trans_b == call.trans_b;
  };
  row.refusal = [](const Guard&, const Context&, const std::string& name) {
    return name + " was not captured";
  };
  row.text = [](const Guard&, Routine) { return std::string(); };  // "sgemm NT" says it
  row.write = [](const Guard& guard, Routine routine, json& out) {
    out["trans"] = transposes_of(routine, guard.trans_a, guard.trans_b);
  };
  row.read = [](const Place& guard, Routine routine, Type, Guard& out) {
    std::tie(out.trans_a, out.trans_b) = transposes_from(guard["trans"], routine);
  };
  return row;
}

Condition threads() {
  Condition row{};
  row.name = "threads";
  row.of = Condition::Of::all;
  row.keys = {"threads"};
  row.admits = [](const Guard& guard, const Context& call) {
    return std::find(guard.threads.begin(), guard.threads.end(), call.threads) !=
           guard.threads.end();
  };
  row.refusal = [](const Guard&, const Context& call, const std::string& name) {
    return name + " with threads = " + text(call.threads) + " was not captured";
  };
  row.text = [](const Guard& guard, Routine) {
    std::string out = "threads";
    for (const int count : guard.threads) out += " " + text(count);
    return out;
  };
  row.write = [](const Guard& guard, Routine, json& out) { out["threads"] = guard.threads; };
  row.read = [](const Place& guard, Routine, Type, Guard& out) {
    const Place threads = guard["threads"];
    read_list(threads, out.threads, 1, 1 << 20);
    expect_ascending(threads, out.threads);
    if (out.threads.empty()) threads.fail("no thread count is admitted");
  };
  return row;
}

Condition increments() {
  Condition row{};
  row.name = "increments";
  row.of = Condition::Of::all;
  row.keys = {"increments"};
  row.admits = [](const Guard& guard, const Context& call) {
    return admits(guard.increments, call.incx, call.routine == Routine::sum ? 0 : call.incy);
  };
  row.refusal = [](const Guard&, const Context& call, const std::string& name) {
    std::string what = name + " with incx = " + text(call.incx);
    if (call.routine != Routine::sum) what += ", incy = " + text(call.incy);
    return what + " was not captured";
  };
  row.text = [](const Guard& guard, Routine routine) {
    if (routine == Routine::gemm) return std::string();
    return "inc " + text_of(guard.increments, routine != Routine::sum);
  };
  row.write = [](const Guard& guard, Routine, json& out) {
    out["increments"] = json_of(guard.increments);
  };
  row.read = [](const Place& guard, Routine routine, Type, Guard& out) {
    const Place increments = guard["increments"];
    out.increments = increments_from(increments);
    if (routine == Routine::gemm && out.increments != std::vector<Increments>{{1, 1}})
      increments.fail("a gemm has the increments (1, 1)");
    if (routine == Routine::sum)
      for (std::size_t k = 0; k < out.increments.size(); ++k)
        if (out.increments[k].y != 0) increments[k].fail("the second value is 0 for a sum");
  };
  return row;
}

Condition layout() {
  Condition row{};
  row.name = "row_major";
  row.keys = {"row_major"};
  row.admits = [](const Guard& guard, const Context& call) {
    return guard.row_major || !call.from_row_major;
  };
  row.refusal = [](const Guard&, const Context&, const std::string& name) {
    return "row-major calls of " + name + " were not captured";
  };
  row.text = [](const Guard& guard, Routine) {
    return std::string(guard.row_major ? "by columns and rows" : "by columns");
  };
  row.write = [](const Guard& guard, Routine, json& out) {
    out["row_major"] = guard.row_major ? 1 : 0;
  };
  row.read = [](const Place& guard, Routine, Type, Guard& out) {
    out.row_major = guard["row_major"].integer(0, 1) != 0;
  };
  return row;
}

}  // namespace

std::vector<Condition> conditions_of_calls() {
  return {transposes(), increments(), threads(), layout()};
}

}  // namespace reprosum::spec

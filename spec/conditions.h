// The conditions of a guard: one row for each, which asks it of a call, says it, reads and writes
// it. A new condition is a field of Guard (guard.h), a row here and one in the schema; the C text
// (kernels/text/c_conditions) asks those that a compiled program can.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "spec/guard.h"

namespace reprosum::spec {

class Place;  // json_document.h

struct Condition {
  // The key in the JSON, if the condition has one key; tests name the condition by it.
  const char* name;
  enum class Of : std::uint8_t { matrices, vectors, all } of;  // gemv and gemm; sum and dot
  // Whether it asks about the data. What does is asked last: only a call's data decide it.
  bool is_of_data;
  bool (*admits)(const Guard& guard, const Context& call);
  // What is not covered, a sentence about "sgemm NT". @pre !admits(guard, call)
  std::string (*refusal)(const Guard& guard, const Context& call, const std::string& name);
  // What is demanded, in a list of such; "" for nothing, and for what the routine's name says.
  std::string (*text)(const Guard& guard, Routine routine);
  void (*write)(const Guard& guard, Routine routine, nlohmann::json& out);
  // `guard` is that of the document's entry. @post what write() leaves out reads as its default.
  void (*read)(const Place& guard, Routine routine, Type type, Guard& out);
  // The keys that must, and those that may, stand in the document.
  std::vector<const char*> keys, optional_keys;
};

// In the order in which they are asked: a call that fails at a later one came closer.
const std::vector<Condition>& conditions();
// Those that the routine has.
bool has(const Condition& condition, Routine routine);

// "ddot"; "sgemm NT", "dgemv T".
std::string name_of(const Context& call);
std::string name_of(Routine routine, Type type, Trans trans_a, Trans trans_b);

// "inc 1:1, threads 1 2, by columns and rows, y = 8 mod 16 bytes, beta = 1".
std::string describe(const Guard& guard, Routine routine);

}  // namespace reprosum::spec

// What the verbs of the command share: how one is added to the parser and how it answers.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace reprosum::cli {

// Exit codes as in diff(1).
inline constexpr int kSame = 0;       // the same, or all that was asked was done
inline constexpr int kDifferent = 1;  // different, or something was refused
inline constexpr int kTrouble = 2;    // the user's, the environment's or our own error

// The verb that the command line chose; run after parsing, so that its errors are mapped in one
// place (errors.h).
using Action = std::function<int()>;

// Each adds its subcommand; a chosen one sets `action`.
void add_capture(CLI::App& app, Action& action);
void add_show(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);
void add_gen(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_hash(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);

}  // namespace reprosum::cli

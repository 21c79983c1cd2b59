// Declares the common options of the measuring commands, so that these options have the same meaning in run,
// compare, check and calibrate.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/experiment/plan.hpp"

namespace loopbench::bench {

struct session_options {
    std::optional<std::uint64_t> blocks, seed;
    std::optional<double> budget_s, min_time_s, trial_limit_s, precision_pct, threshold_pct;
    std::optional<int> cpu;
    std::optional<reports::pairing> asked_pairing;
    std::optional<slice_lengths> slice;
    std::string output;
    std::vector<std::string> contender_dirs;
};

/// The source of the number of blocks: the options --blocks and --precision, or the command itself. In the
/// second case, the command has neither of these options.
enum class sizing { blocks_and_precision, by_the_command };

/// Adds the options to the command, under their headings. Options that the command already has, but that have
/// no heading, get the heading "What to measure". The values of `usual` are the defaults, and --help shows
/// them. Returns all added options except --threshold, which does not affect measuring.
std::vector<CLI::Option*> add_session_options(CLI::App& command, session_options& options,
                                              const run_plan& usual, const std::string& usual_output,
                                              sizing how = sizing::blocks_and_precision);

/// Returns a copy of `usual` with the values that the command line sets. Draws a random seed if the command
/// line has none.
run_plan sized_plan(run_plan usual, const session_options& options);

/// Returns the default plan of a gate (compare, check).
run_plan usual_gate_plan();

/// Adds the option --contender-dir.
void add_contender_dirs(CLI::App& command, std::vector<std::string>& folders);

/// Adds an option that can be repeated, each time with one value.
void add_repeatable(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                    const char* text);

/// Adds the option --tolerate, which only the gates (compare, check) have.
void add_tolerance(CLI::App& command, double& tolerated_pct);

}  // namespace loopbench::bench

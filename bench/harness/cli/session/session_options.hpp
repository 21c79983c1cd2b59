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

/// The two ways to set a command's number of blocks. Either the user sets it with --blocks and --precision,
/// or the command sets it and has neither option.
enum class sizing { blocks_and_precision, by_the_command };

/// Adds the options of a session to the command. Their defaults are the values of `usual`. Options of the
/// command without a heading get the heading "What to measure". Returns all added options except --threshold,
/// which does not affect measuring.
std::vector<CLI::Option*> add_session_options(CLI::App& command, session_options& options,
                                              const run_plan& usual, const std::string& usual_output,
                                              sizing how = sizing::blocks_and_precision);

/// Returns `usual` with the values of the options. If there is no --seed, draws a random seed.
run_plan sized_plan(run_plan usual, const session_options& options);

run_plan usual_gate_plan();

void add_contender_dirs(CLI::App& command, std::vector<std::string>& folders);

void add_repeatable(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                    const char* text);

const CLI::Option* add_tolerance(CLI::App& command, double& tolerated_pct);

}  // namespace loopbench::bench

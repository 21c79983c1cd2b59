// Gives each test its own loopbench: a folder with the executable (see undisturbed.cpp) and fake contenders.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/trial/process/child_process.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

/// Shell code of a successful trial, for add_contender().
inline constexpr auto good_row = R"(row '"real_time": 10')";

class loopbench_command {
public:
    loopbench_command();

    /// Adds a contender with the workloads `yield` and `echo/rtt/conns:1`. Each trial runs the shell code
    /// `on_trial`, which can use $workload, and `row FIELDS` to print a result with these fields. The file
    /// `$0.trials` has one mark for each trial. `sheet` is added to the contender's description of itself,
    /// for example `, "build_type": "Debug"`.
    void add_contender(std::string_view name, std::string_view on_trial, std::string_view sheet = {});

    /// Adds the same contender with only this workload.
    void add_contender_of(std::string_view workload, std::string_view name, std::string_view on_trial);

    /// Adds a contender whose shell code finds the contender's argv[0] in $CALLED. In the baseline's A/A
    /// copy, this value ends in `~`.
    void add_contender_that_knows_its_name(std::string_view name, std::string_view on_trial);

    /// Runs `loopbench ARGUMENTS...`. Kills the command and its children after `killed_after`.
    bench::child_outcome operator()(const std::vector<std::string>& arguments,
                                    std::chrono::nanoseconds killed_after = patience) const;
    /// Runs a shell command. $loopbench is the executable, $folder is the test's folder, and $out is a path
    /// in $folder, where no file exists at first.
    bench::child_outcome in_shell(const std::string& script) const;

    [[nodiscard]] std::string out() const { return (folder_ / "out").native(); }
    [[nodiscard]] std::filesystem::path path(std::string_view name) const { return folder_ / name; }
    [[nodiscard]] nlohmann::json report() const;

private:
    /// The time limit of a command. Tracing can take a minute while the machine compiles.
    static constexpr std::chrono::minutes patience{5};
    temporary_folder folder_;
};

/// Returns the contender's first result with the metric `time` on the workload, or null.
nlohmann::json time_of(const nlohmann::json& report, std::string_view contender,
                       std::string_view workload = "yield");

}  // namespace loopbench::tests

// Gives each test its own loopbench: the executable (see undisturbed.cpp) beside a folder of fake contenders.
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

/// A successful trial, for add_contender().
inline constexpr auto good_row = R"(row '"real_time": 10')";

class loopbench_command {
public:
    loopbench_command();

    /// Adds a contender with the workloads `yield` and `echo/rtt/conns:1`. `on_trial` is shell code: it can
    /// use $workload, and `row FIELDS` to print a result with these fields. `$0.trials` has one mark for each
    /// trial. `sheet` is added to the contender's description of itself: `, "build_type": "Debug"`.
    void add_contender(std::string_view name, std::string_view on_trial, std::string_view sheet = {});

    /// Adds the same contender with only this workload.
    void add_contender_of(std::string_view workload, std::string_view name, std::string_view on_trial);

    /// Adds a contender that has its argv[0] in $CALLED. For the baseline's A/A copy it ends in `~`.
    void add_contender_that_knows_its_name(std::string_view name, std::string_view on_trial);

    /// Runs `loopbench ARGUMENTS...`. Kills it and its children after `killed_after`.
    bench::child_outcome operator()(const std::vector<std::string>& arguments,
                                    std::chrono::nanoseconds killed_after = patience) const;
    /// Runs a shell command. $loopbench is the executable, $folder the test's folder, and $out the output
    /// folder in it, which does not exist yet.
    bench::child_outcome in_shell(const std::string& script) const;

    [[nodiscard]] std::string out() const { return (folder_ / "out").native(); }
    [[nodiscard]] std::filesystem::path path(std::string_view name) const { return folder_ / name; }
    [[nodiscard]] nlohmann::json report() const;

private:
    /// While the machine builds, tracing can take a minute.
    static constexpr std::chrono::minutes patience{5};
    temporary_folder folder_;
};

/// Returns the contender's first result for `time` on the workload.
nlohmann::json time_of(const nlohmann::json& report, std::string_view contender,
                       std::string_view workload = "yield");

}  // namespace loopbench::tests

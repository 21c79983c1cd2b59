#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/trial/process/child_process.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

inline constexpr auto good_row = R"(row '"real_time": 10')";

class loopbench_command {
public:
    loopbench_command();

    /// Adds a contender whose trials run the shell code `on_trial`, which can use $workload and `row FIELDS`.
    /// `$0.trials` contains one dot for each trial. `sheet` is appended to the contender's description of
    /// itself, for example `, "build_type": "Debug"`.
    void add_contender(std::string_view name, std::string_view on_trial, std::string_view sheet = {});

    void add_contender_of(std::string_view workload, std::string_view name, std::string_view on_trial,
                          std::string_view sheet = {});

    /// Adds a shell script that is not a contender. Returns its path.
    std::string add_program(std::string_view name, std::string_view script);

    /// Runs `loopbench ARGUMENTS...`. Kills the command and its children after `killed_after`.
    bench::child_outcome operator()(const std::vector<std::string>& arguments,
                                    std::chrono::nanoseconds killed_after = patience) const;
    /// Runs a shell script. $loopbench is the executable, $folder the test's folder, and $out a path in
    /// $folder that does not exist at first.
    bench::child_outcome in_shell(const std::string& script) const;

    /// Calls compare(), which runs a comparison, up to five times until there is a verdict and no count asks
    /// for another comparison. On a busy machine, one comparison does not always suffice.
    bench::child_outcome decided(const std::function<bench::child_outcome()>& compare) const;

    [[nodiscard]] std::string out() const { return (folder_ / "out").native(); }
    [[nodiscard]] std::filesystem::path path(std::string_view name) const { return folder_ / name; }
    [[nodiscard]] nlohmann::json report() const;

private:
    /// The time limit of a command. It is long, because tracing can take a minute on a busy machine.
    static constexpr std::chrono::minutes patience{5};
    temporary_folder folder_;
};

/// Returns true if the shell finds the program.
bool is_installed(const std::string& program);

nlohmann::json time_of(const nlohmann::json& report, std::string_view contender,
                       std::string_view workload = "yield");

}  // namespace loopbench::tests

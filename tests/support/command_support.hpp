// A loopbench of its own for each test: the executable (see undisturbed.cpp) beside a folder of contenders
// that the test writes.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/process/child_process.hpp"
#include "tests/support/says.hpp"
#include "tests/support/scratch_folder.hpp"

namespace loopbench::tests {

/// What add_contender() may be given for a trial that goes well.
inline constexpr auto good_row = R"(row '"real_time": 10')";

class loopbench_command {
public:
    loopbench_command();

    /// Adds a contender with the workloads `yield` and `echo/rtt/conns:1`. `on_trial` is shell: it may use
    /// $workload, and `row FIELDS` to print a result with these fields; `$0.trials` has a line for each
    /// trial. `sheet` is added to what it says of itself before a run: `, "build_type": "Debug"`.
    void add_contender(std::string_view name, std::string_view on_trial, std::string_view sheet = {});

    /// The same with this workload alone.
    void add_contender_of(std::string_view workload, std::string_view name, std::string_view on_trial);

    /// As add_contender(), and $CALLED is its argv[0]: of the baseline's twin, it ends in `~`.
    void add_contender_that_knows_its_name(std::string_view name, std::string_view on_trial);

    /// Runs `loopbench ARGUMENTS...`, and kills it and its children when it takes longer.
    bench::child_outcome operator()(const std::vector<std::string>& arguments,
                                    std::chrono::nanoseconds killed_after = patience) const;
    /// Runs a shell command in which $loopbench is the executable, $folder the test's folder and $out
    /// the output folder in it, which is not there yet.
    bench::child_outcome in_shell(const std::string& script) const;

    [[nodiscard]] std::string out() const { return (folder_ / "out").native(); }
    [[nodiscard]] std::filesystem::path path(std::string_view name) const { return folder_ / name; }
    [[nodiscard]] nlohmann::json report() const;

private:
    /// On a machine that builds meanwhile, tracing takes a minute.
    static constexpr std::chrono::minutes patience{5};
    scratch_folder folder_;
};

/// The first result for `time` of the contender, on `yield`.
nlohmann::json time_of(const nlohmann::json& report, std::string_view contender);

}  // namespace loopbench::tests

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/experiment/runner.hpp"
#include "bench/harness/summary/summary.hpp"

namespace loopbench::tests {

/// An executor that answers each trial with `answer` and adds "CONTENDER WORKLOAD" to `ran`.
class mock_executor : public bench::trial_executor {
public:
    explicit mock_executor(std::function<bench::trial_outcome(const bench::trial_request&)> answer)
        : answer_{std::move(answer)} {}

    bench::trial_outcome run(const bench::trial_request& request) override {
        ran.push_back(request.who.name + " " + request.workload);
        return answer_(request);
    }

    std::vector<std::string> ran;

private:
    std::function<bench::trial_outcome(const bench::trial_request&)> answer_;
};

class mock_observer : public bench::run_observer {
public:
    void before_trial(const bench::trial_request&, std::uint64_t done, std::uint64_t total) override {
        progress.push_back(std::to_string(done) + "/" + std::to_string(total));
    }
    void after_trial(const bench::trial_record&) override { ++finished; }

    std::vector<std::string> progress;
    std::size_t finished = 0;
};

inline bench::trial_outcome took_ns(double time) {
    bench::trial_outcome outcome;
    outcome.metrics["time"] = time;
    return outcome;
}

inline bench::trial_outcome ended(reports::result_status status, std::string reason) {
    bench::trial_outcome outcome;
    outcome.status = status;
    outcome.reason = std::move(reason);
    return outcome;
}

inline bench::trial_outcome stopped() {
    bench::trial_outcome outcome;
    outcome.stopped = true;
    return outcome;
}

inline bench::run_plan small_plan(std::uint64_t blocks) {
    bench::run_plan plan;
    plan.contenders = {{"asio-epoll", "", {"yield", "echo"}, ""}, {"loop-epoll", "", {"yield", "echo"}, ""}};
    plan.workloads = {"yield", "echo"};
    plan.blocks = blocks;
    plan.seed = 1;
    return plan;
}

inline bench::run_outcome outcome_of(
    const bench::run_plan& plan,
    const std::function<bench::trial_outcome(const bench::trial_request&)>& answer,
    bench::run_outcome done = {}) {
    mock_executor executor{answer};
    mock_observer observer;
    const auto no_time = [] { return std::chrono::nanoseconds{0}; };
    return bench::run(plan, executor, observer, no_time, std::move(done));
}

inline reports::report report_of(
    const bench::run_plan& plan,
    const std::function<bench::trial_outcome(const bench::trial_request&)>& answer) {
    return bench::summarise(plan, outcome_of(plan, answer));
}

}  // namespace loopbench::tests

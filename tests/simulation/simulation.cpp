// Tests the loop with a program on a simulated kernel in memory, for a given number of seeds or for a given
// time. Two runs with the same seed have identical traces. If a run violates a condition, the test prints the
// seed and ends.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "loop/designs.hpp"
#include "tests/simulation/kernel.hpp"
#include "tests/simulation/program.hpp"

namespace loopbench::simulation {

namespace {

constexpr std::array<std::pair<std::string_view, defect>, 12> defects{{
    {"lost_event", defect::lost_event},
    {"lost_wakeup", defect::lost_wakeup},
    {"lost_timer", defect::lost_timer},
    {"early_clock", defect::early_clock},
    {"stopped_clock", defect::stopped_clock},
    {"lost_byte", defect::lost_byte},
    {"swapped_bytes", defect::swapped_bytes},
    {"lost_end", defect::lost_end},
    {"miscounted_send", defect::miscounted_send},
    {"dropped_cancellation", defect::dropped_cancellation},
    {"dropped_post", defect::dropped_post},
    {"swapped_posts", defect::swapped_posts},
}};

constexpr int exit_failed = 1;
constexpr int exit_crashed = 3;

struct {
    std::uint64_t seed = 0;
    std::string_view design;
    std::string_view planted;
    bool is_canary = false;
    std::chrono::steady_clock::time_point started;
    std::uint64_t turns_before = 0;
    const tally* done = nullptr;
    std::string* trace_text = nullptr;
    std::string trace_file;
    int fails_as = exit_failed;
} running;

void write_trace() {
    if (running.trace_text == nullptr || running.trace_file.empty()) return;
    std::ofstream(running.trace_file) << *running.trace_text;
}

double seconds_since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

[[noreturn]] void end(const std::string& what, int code) {
    kernel::current = nullptr;
    const std::uint64_t turns = running.done == nullptr ? 0 : running.done->turns;
    if (running.is_canary) {
        fmt::print("{:21} {:11} {:>5.2f} s {:>9} turns  {}\n", running.planted, running.design,
                   seconds_since(running.started), running.turns_before + turns,
                   what.substr(0, what.find('\n')));
    } else {
        fmt::print("seed {} fails on {} in turn {}: {}\n", running.seed, running.design, turns, what);
        fmt::print("to repeat: simulation --design {} --first {} --seeds 1{}{} --trace FILE\n",
                   running.design, running.seed, running.planted.empty() ? "" : " --defect ",
                   running.planted);
    }
    std::fflush(stdout);
    write_trace();
    std::_Exit(code);
}

}  // namespace

void fail(const std::string& what) {
    end(what, running.fails_as);
}

namespace {

void on_signal(int number) {
    end(number == SIGALRM ? "a turn does not end" : fmt::format("signal {} ends the program", number),
        exit_crashed);
}

promises promises_of(std::string_view design) {
    promises of;
    of.starves = design == "loop-scheduler";
    of.spins = design == "loop-round-robin";
    return of;
}

struct outcome {
    tally done;
    std::uint64_t digest;
};

outcome run(std::string_view design, std::uint64_t seed, defect planted, std::string* trace_text) {
    constexpr unsigned seconds_max = 120;
    kernel simulated(seed, planted, trace_text);
    const promises promised = promises_of(design);
    if (promised.spins) simulated.step = std::chrono::microseconds(20);
    program tasks(simulated, promised);
    running.seed = seed;
    running.design = design;
    running.done = &tasks.done;
    running.trace_text = trace_text;
    ::alarm(seconds_max);
    {
        const auto loop = loop::make_loop(design);
        tasks.begin(*loop);
        const std::uint64_t turns = 1'000 + simulated.random.below(20'000);
        const std::uint64_t turns_max = 20 * turns + 1'000'000;
        const bool dies = simulated.random.one_in(4);
        for (;;) {
            const bool may_begin = tasks.done.turns < turns;
            if (!may_begin && dies) break;
            tasks.between_turns(may_begin);
            if (!may_begin && tasks.is_over()) break;
            if (tasks.done.turns > turns_max) fail("the tasks do not end");
            simulated.calls_of_turn = 0;
            try {
                loop->turn();
            } catch (const std::exception& failure) {
                fail(fmt::format("a turn throws: {}", failure.what()));
            }
        }
        tasks.let_go();
        simulated.calls_of_turn = 0;
    }
    tasks.expect_nothing_waits();
    running.done = nullptr;
    running.trace_text = nullptr;
    ::alarm(0);
    return {tasks.done, simulated.log.digest()};
}

/// Returns true if the simulation detects each planted defect within a minute. Each search has its own
/// process.
bool finds_what_is_planted() {
    constexpr double seconds_max = 60;
    bool all = true;
    for (const auto& [name, what] : defects) {
        for (const std::string_view design : {"loop-epoll", "loop-uring"}) {
            const pid_t child = ::fork();
            if (child == 0) {
                running.started = std::chrono::steady_clock::now();
                for (std::uint64_t seed = 1; seconds_since(running.started) < seconds_max; ++seed) {
                    // The first run is without the defect. If this run fails, the failure does not count as a
                    // detection.
                    running.is_canary = false;
                    running.planted = {};
                    running.fails_as = exit_crashed;
                    run(design, seed, defect::none, nullptr);
                    running.is_canary = true;
                    running.planted = name;
                    running.fails_as = exit_failed;
                    running.turns_before += run(design, seed, what, nullptr).done.turns;
                }
                std::_Exit(0);
            }
            int status = 0;
            const bool is_found = child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                                  WEXITSTATUS(status) == exit_failed;
            if (!is_found) fmt::print("{:21} {:11} is not found\n", name, design);
            std::fflush(stdout);
            all = all && is_found;
        }
    }
    return all;
}

bool has_done_all(const tally& done) {
    return done.cancelled != 0 && done.sleeps != 0 && done.connections != 0 && done.bytes != 0 &&
           done.posts != 0;
}

}  // namespace

}  // namespace loopbench::simulation

int main(int count, char** arguments) {
    using namespace loopbench::simulation;
    std::vector<std::string> designs;
    std::uint64_t first = 1;
    std::uint64_t seeds = 10;
    double seconds = 0;
    bool fresh = false;
    bool twice = false;
    bool canary = false;
    std::string planted;
    CLI::App command("Runs random programs on the loop over a simulated kernel, and checks invariants.");
    command.add_option("--design", designs, "The designs to run; by default, all");
    command.add_option("--first", first, "The first seed")->capture_default_str();
    command.add_option("--seeds", seeds, "Number of seeds, beginning with the first")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--seconds", seconds,
                       "Run seeds for this time on each design, instead of a number of seeds");
    command.add_flag("--fresh", fresh, "Begin with a random seed");
    command.add_flag("--twice", twice, "Run each seed twice, and fail if the two runs differ");
    command.add_flag("--canary", canary, "Plant each defect, and fail if one is not found within a minute");
    command.add_option("--defect", planted, "Plant this defect")->check([](const std::string& name) {
        for (const auto& [known, what] : defects)
            if (known == name) return std::string();
        return "'" + name + "' is not a defect";
    });
    command.add_option("--trace", running.trace_file, "File for the trace of the last run");
    CLI11_PARSE(command, count, arguments);
    for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM}) ::signal(number, &on_signal);
    if (canary) return finds_what_is_planted() ? 0 : 1;
    if (designs.empty())
        for (const auto& each : loopbench::loop::designs()) designs.emplace_back(each.name);
    if (fresh) first = std::random_device()();
    defect what = defect::none;
    for (const auto& [name, known] : defects)
        if (name == planted) what = known;
    running.planted = planted;

    fmt::print("{:16} {:>22} {:>11} {:>13} {:>9} {:>9} {:>9} {:>11} {:>12} {:>9}\n", "design", "seeds",
               "turns", "turns/CPU min", "tasks", "cancelled", "sleeps", "connections", "bytes read",
               "posts");
    for (const std::string& design : designs) {
        const auto started = std::chrono::steady_clock::now();
        const std::clock_t cpu_before = std::clock();
        tally all;
        std::uint64_t done = 0;
        for (; seconds > 0 ? seconds_since(started) < seconds : done < seeds; ++done) {
            std::string text;
            const bool traces = !running.trace_file.empty();
            const outcome result = run(design, first + done, what, traces ? &text : nullptr);
            if (traces) std::ofstream(running.trace_file) << text;
            // Comparing the digests is faster than comparing the texts of the traces.
            if (twice && run(design, first + done, what, nullptr).digest != result.digest)
                fail("the second run of this seed differs from the first");
            all += result.done;
        }
        fmt::print("{:16} {:>22} {:>11} {:>13.0f} {:>9} {:>9} {:>9} {:>11} {:>12} {:>9}\n", design,
                   fmt::format("{}..{}", first, first + done - 1), all.turns,
                   static_cast<double>(all.turns) * 60 * CLOCKS_PER_SEC /
                       static_cast<double>(std::clock() - cpu_before),
                   all.tasks, all.cancelled, all.sleeps, all.connections, all.bytes, all.posts);
        std::fflush(stdout);
        // Fewer runs might not contain every kind of action.
        if (done >= 10 && !has_done_all(all)) {
            fmt::print("on {}, some kinds of action that the runs must test never happened\n", design);
            return 1;
        }
    }
    return 0;
}

// simulation: the loop, and a program on it, on a kernel in memory, for as many turns as there is time.
//
// Each seed is a run: its kernel, its tasks and all that comes in between. The same seed does the same, to the
// byte of its trace. When something does not hold, the program ends, and says which seed it was.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
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

/// What is run at the moment, for who has to say that it fails.
struct {
    std::uint64_t seed = 0;
    std::string_view design;
    std::string_view planted;
    const tally* done = nullptr;
    std::string* trace_text = nullptr;
    std::string trace_file;
} running;

void write_trace() {
    if (running.trace_text == nullptr || running.trace_file.empty()) return;
    std::ofstream(running.trace_file) << *running.trace_text;
}

std::string command_of_running() {
    return fmt::format("simulation --design {} --first {} --seeds 1{}{} --trace FILE", running.design,
                       running.seed, running.planted.empty() ? "" : " --defect ", running.planted);
}

}  // namespace

void fail(const std::string& what) {
    kernel::current = nullptr;
    fmt::print("seed {} fails on {} in turn {}: {}\nagain: {}\n", running.seed, running.design,
               running.done == nullptr ? 0 : running.done->turns, what, command_of_running());
    std::fflush(stdout);
    write_trace();
    std::_Exit(1);
}

namespace {

void on_signal(int number) {
    fail(number == SIGALRM ? "a turn does not end" : fmt::format("signal {}", number));
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
    constexpr unsigned seconds_max = 120;  // no run takes a hundredth of this
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
        const bool dies = simulated.random.one_in(4);  // in the middle of everything
        for (;;) {
            const bool may_begin = tasks.done.turns < turns;
            if (!may_begin && dies) break;
            tasks.between_turns(may_begin);
            if (!may_begin && tasks.is_over()) break;
            if (tasks.done.turns > turns_max) fail("the tasks do not come to their end");
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
    ::alarm(0);
    return {tasks.done, simulated.log.digest()};
}

}  // namespace

}  // namespace loopbench::simulation

int main(int count, char** arguments) {
    using namespace loopbench::simulation;
    using steady_clock = std::chrono::steady_clock;
    std::vector<std::string> designs;
    std::uint64_t first = 1;
    std::uint64_t seeds = 10;
    double seconds = 0;
    bool fresh = false;
    bool twice = false;
    std::string planted;
    CLI::App command(
        "Runs programs on the loop on a kernel in memory, and looks whether all holds that must.");
    command.add_option("--design", designs, "Which designs; all of them otherwise");
    command.add_option("--first", first, "The first seed")->capture_default_str();
    command.add_option("--seeds", seeds, "How many, one after the other")->capture_default_str();
    command.add_option("--seconds", seconds, "As many seeds as there is time for instead, on each design");
    command.add_flag("--fresh", fresh, "Begin with a seed that nobody has chosen");
    command.add_flag("--twice", twice, "Run each seed twice, and compare the traces");
    command.add_option("--defect", planted, "Plant one")->check([](const std::string& name) {
        for (const auto& [known, what] : defects)
            if (known == name) return std::string();
        return "there is no defect '" + name + "'";
    });
    command.add_option("--trace", running.trace_file, "Where the trace of the last run goes");
    CLI11_PARSE(command, count, arguments);
    if (designs.empty())
        for (const auto& each : loopbench::loop::designs()) designs.emplace_back(each.name);
    if (fresh) first = std::random_device()();
    defect what = defect::none;
    for (const auto& [name, known] : defects)
        if (name == planted) what = known;
    running.planted = planted;
    for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM}) ::signal(number, &on_signal);

    fmt::print("{:16} {:>22} {:>11} {:>13} {:>9} {:>9} {:>9} {:>11} {:>12} {:>9}\n", "design", "seeds",
               "turns", "turns/minute", "tasks", "cancelled", "sleeps", "connections", "bytes read", "posts");
    for (const std::string& design : designs) {
        const auto started = steady_clock::now();
        const auto took = [&] {
            return std::chrono::duration<double>(steady_clock::now() - started).count();
        };
        tally all;
        std::uint64_t done = 0;
        for (; seconds > 0 ? took() < seconds : done < seeds; ++done) {
            std::string text;
            std::string again;
            const bool traces = twice || !running.trace_file.empty();
            const outcome result = run(design, first + done, what, traces ? &text : nullptr);
            write_trace();
            if (twice) {
                const outcome other = run(design, first + done, what, &again);
                if (text != again || result.digest != other.digest)
                    fail("it does something else the second time");
            }
            all += result.done;
        }
        running.trace_text = nullptr;
        fmt::print("{:16} {:>22} {:>11} {:>13.0f} {:>9} {:>9} {:>9} {:>11} {:>12} {:>9}\n", design,
                   fmt::format("{}..{}", first, first + done - 1), all.turns,
                   static_cast<double>(all.turns) * 60 / took(), all.tasks, all.cancelled, all.sleeps,
                   all.connections, all.bytes, all.posts);
        std::fflush(stdout);
        if (seconds == 0 && (all.sleeps == 0 || all.bytes == 0 || all.posts == 0 || all.cancelled == 0)) {
            fmt::print("on {} nothing has come of some of it: there is nothing to be seen so\n", design);
            return 1;
        }
    }
    return 0;
}

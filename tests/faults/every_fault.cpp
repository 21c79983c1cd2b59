// Runs the loop's usual work again and again. In each run, one call fails with one of the errors in its
// manual page, or one allocation fails.
//
// After each run: (1) The error was reported, or the work was done despite the error, as the table in
// sites.cpp requires. (2) Each started operation has ended exactly once. (3) The loop has waited at most 200
// + 3 n times; n is the number of waits in a run without a failure. (4) The loop can still make a round trip.
// (5) The loop's destruction releases its descriptors and memory. The program also fails if one of the errors
// was never tried.
#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "loop/io/drivers.hpp"
#include "tests/faults/scenarios.hpp"
#include "tests/loop/allocations.hpp"

namespace {

using namespace loopbench;
using namespace loopbench::loop;
using namespace loopbench::loop::faults;

// The handler of fatal signals prints this description of the run.
std::array<char, 256> under_way;

template <class... Arguments>
void set_under_way(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const auto end = fmt::format_to_n(under_way.data(), under_way.size() - 2, format, arguments...);
    *end.out = '\n';
    *(end.out + 1) = '\0';
}

void die_of(int signal) {
    const auto say = [](const char* text) {
        static_cast<void>(past_the_watch::write(STDERR_FILENO, text, std::strlen(text)));
    };
    say(signal == SIGALRM ? "every_fault: timed out: " : "every_fault: crashed: ");
    say(under_way.data());
    ::_exit(1);
}

void handle_signals() {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGALRM, SIGPIPE}) ::signal(signal, &die_of);
    ::signal(SIGUSR1, [](int) {});
}

struct lost_operation : std::exception {};
struct spin : std::exception {};

/// A clock that throws `spin` if the loop waits more often than the limit, and `lost_operation` if a wait
/// takes ten seconds.
class impatient_clock final : public loop::clock {
public:
    explicit impatient_clock(unsigned waits_max) noexcept : left_(waits_max), max_(waits_max) {}

    time_point now() noexcept override { return std::chrono::steady_clock::now(); }
    void sleep_for(nanoseconds) override {}
    void wait(event_loop&, driver& io, time_point deadline) override {
        if (left_-- == 0) throw spin();
        const time_point limit = now() + std::chrono::seconds(10);
        io.wait(std::min(deadline, limit));
        if (deadline > limit && now() >= limit) throw lost_operation();
    }

    unsigned waits() const noexcept { return max_ - left_; }

private:
    unsigned left_;
    const unsigned max_;
};

task<void> until_done(task_handle<void> awaited) {
    try {
        co_await awaited;
    } catch (...) {  // the ledger already contains the exception
    }
}

struct outcome {
    std::string problem;
    std::array<unsigned, site_count> calls{};
    std::size_t allocations = 0;
    unsigned waits = 0;
    bool has_failed = false;
    bool told = false;
};

std::size_t open_descriptors() {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), &::closedir);
    std::size_t count = 0;
    while (folder && ::readdir(folder.get()) != nullptr) ++count;
    return count;
}

bool is(const std::exception_ptr& error, const failure& planned) {
    try {
        std::rethrow_exception(error);
    } catch (const std::system_error& found) {
        return found.code().value() == planned.told_as;
    } catch (const std::runtime_error&) {
        return planned.error < 0;  // only getaddrinfo(3) has negative errors
    } catch (...) {
        return false;
    }
}

bool is_bad_alloc(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        return true;
    } catch (...) {
        return false;
    }
}

std::string text_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& found) {
        return found.what();
    }
}

class experiment {
public:
    experiment(const design& on, const scenario& what, const std::optional<plan>& planned,
               std::size_t failing_allocation, unsigned waits_max)
        : on_(on),
          what_(what),
          planned_(planned),
          failing_allocation_(failing_allocation),
          clock_(waits_max) {}

    outcome run() {
        outcome result;
        const std::size_t descriptors = open_descriptors();
        const auto memory = test::count_allocations();
        {
            watched_calls watched(planned_);
            watch_ = &watched;
            std::thread([this] { in_thread(); }).join();
            for (std::size_t i = 0; i < site_count; ++i) result.calls[i] = watched.calls(site_id(i));
            result.has_failed = failing_allocation_ != 0 ? allocation_failed_ : watched.has_failed();
        }
        result.allocations = allocations_;
        result.waits = clock_.waits();
        judge(result);
        seen_.forget_errors();
        const auto memory_left = test::count_allocations();
        if (result.problem.empty() && seen_.running() != 0)
            result.problem = "an operation has not ended, or has ended twice";
        if (result.problem.empty() && open_descriptors() != descriptors)
            result.problem = "descriptors were not closed";
        const std::size_t kept = (memory_left.made - memory_left.freed) - (memory.made - memory.freed);
        if (result.problem.empty() && kept != 0)
            result.problem = fmt::format("{} allocations were not freed", kept);
        return result;
    }

private:
    void in_thread() {
        const std::size_t before = test::count_allocations().made;
        {
            const test::failing_allocation fails(failing_allocation_);
            watch_->resume();
            work();
            watch_->pause();
            allocation_failed_ = fails.has_failed();
        }
        if (loop_) {
            look_at_what_is_left();
            watch_->resume();
            loop_.reset();
            watch_->pause();
        }
        allocations_ = work_allocations_ - before;
    }

    void work() {
        try {
            // loop-tick keeps its own clock, because that clock's sleep is one of the calls that fail.
            loop_ = on_.make(on_, on_.name == "loop-tick" ? nullptr : &clock_);
        } catch (...) {
            seen_.note(std::current_exception());
        }
        if (loop_) {
            std::optional<task_handle<void>> main;
            try {
                main = create_task(*loop_, seen_.operation(what_.run(*loop_, seen_)));
            } catch (...) {
                seen_.note(std::current_exception());
            }
            constexpr int runs_max = 4;
            for (int runs = 0; main && !main->done() && problem_ == nullptr && runs < runs_max; ++runs)
                run_on(*main);
            if (main && !main->done() && problem_ == nullptr) problem_ = "the work has not ended";
        }
        work_allocations_ = test::count_allocations().made;
    }

    void run_on(const task_handle<void>& main) {
        try {
            loop_->run(until_done(main));
        } catch (const spin&) {
            problem_ = "the loop spins";
        } catch (const lost_operation&) {
            problem_ = "the loop waits for ever for an operation";
        } catch (...) {
            seen_.note(std::current_exception());
            if (what_.ends_with_run) main.cancel();
        }
    }

    void look_at_what_is_left() {
        if (problem_ != nullptr) return;
        if (!what_.leaves_operations) {
            if (seen_.running() != 0) problem_ = "an operation continues after the work";
            if (loop_->io().pending() != 0) problem_ = "the driver has pending operations without a waiter";
        }
        try {
            if (!what_.leaves_operations) loop_->run_until_idle();
            loop_->run(echo_once(*loop_));
        } catch (const std::exception& error) {
            const bool may_end = planned_ && planned_->what.what == fate::ends_loop &&
                                 is(std::current_exception(), planned_->what);
            if (may_end || problem_ != nullptr) return;
            problem_ = "round trips have become impossible";
            seen_.note(std::current_exception());
        }
    }

    void judge(outcome& result) {
        if (problem_ != nullptr) result.problem = problem_;
        for (const std::exception_ptr& each : seen_.errors())
            if (problem_ != nullptr) result.problem += "; " + text_of(each);
        if (result.problem.empty() && seen_.wrong() != nullptr) result.problem = seen_.wrong();
        if (result.problem.empty()) result.problem = broken_promise();
        const auto errors = seen_.errors();
        if (planned_) {
            result.told = std::ranges::any_of(
                errors, [&](const std::exception_ptr& each) { return is(each, planned_->what); });
        } else if (failing_allocation_ != 0) {
            result.told = std::ranges::any_of(errors, &is_bad_alloc);
        }
        if (!result.problem.empty()) return;
        const bool can_be_told = planned_ && result.has_failed && planned_->what.what == fate::told;
        const bool must_be_told = can_be_told && planned_->what.error != what_.has_error;
        const bool may_be_told =
            can_be_told ||
            (result.has_failed && (failing_allocation_ != 0 || planned_->what.what == fate::ends_loop));
        if (must_be_told && !result.told) result.problem = "the error was not reported";
        if (!errors.empty() && !(may_be_told && result.told))
            result.problem = "a different error was reported: " + text_of(errors.front());
        if (!errors.empty() && !may_be_told)
            result.problem = "an unexpected error was reported: " + text_of(errors.front());
    }

    const design& on_;
    const scenario& what_;
    const std::optional<plan> planned_;
    const std::size_t failing_allocation_;  // counted from 1; 0: no allocation fails
    impatient_clock clock_;
    ledger seen_;
    std::unique_ptr<event_loop> loop_;
    watched_calls* watch_ = nullptr;
    const char* problem_ = nullptr;
    std::size_t work_allocations_ = 0;
    std::size_t allocations_ = 0;
    bool allocation_failed_ = false;
};

char driver_letter(const design& on) {
    if (on.name == "loop-tick") return 't';
    if (on.driver == "io_uring") return 'u';
    return on.driver.front();
}

std::string name_of(int error) {
    if (error >= 0) return ::strerrorname_np(error);
    constexpr std::pair<int, const char*> names[] = {
        {EAI_ADDRFAMILY, "EAI_ADDRFAMILY"}, {EAI_AGAIN, "EAI_AGAIN"},
        {EAI_BADFLAGS, "EAI_BADFLAGS"},     {EAI_FAIL, "EAI_FAIL"},
        {EAI_FAMILY, "EAI_FAMILY"},         {EAI_MEMORY, "EAI_MEMORY"},
        {EAI_NODATA, "EAI_NODATA"},         {EAI_NONAME, "EAI_NONAME"},
        {EAI_SERVICE, "EAI_SERVICE"},       {EAI_SOCKTYPE, "EAI_SOCKTYPE"},
        {EAI_SYSTEM, "EAI_SYSTEM"}};
    return std::ranges::find(names, error, &std::pair<int, const char*>::first)->second;
}

class trials {
public:
    explicit trials(bool whole, std::string_view only) : whole_(whole), only_(only) {}

    void all_on(const design& on) {
        const char letter = driver_letter(on);
        designs_ += letter;
        for (const scenario& each : scenarios())
            if (each.drivers.find(letter) != std::string_view::npos && is_wanted(each.name)) all_of(on, each);
    }

    bool report(bool requests_can_fail) const {
        fmt::print(
            "# Every system call of the loop, with every error\n\n{} runs, {} of them with a failing "
            "allocation.\n\n| call | in loop/ | by | errors: their effect, and how often each was tried |\n"
            "|---|---|---|---|\n",
            runs_, allocation_runs_);
        bool complete = true;
        for (std::size_t i = 0; i < site_count; ++i) {
            const site& where = sites()[i];
            std::string cells;
            fate group{};
            for (const failure& each : where.failures) {
                const auto count = tried_.find({i, each.error});
                if (cells.empty() || each.what != group)
                    cells += fmt::format("{}{}:", cells.empty() ? "" : "; ", to_text(each.what));
                group = each.what;
                cells += ' ' + name_of(each.error);
                if (each.told_as != each.error) cells += " (as " + name_of(each.told_as) + ")";
                if (!each.why.empty()) cells += fmt::format(" ({})", each.why);
                if (each.what == fate::seen || each.what == fate::cannot) continue;
                cells += fmt::format(" {}", count == tried_.end() ? 0 : count->second);
            }
            fmt::print("| {} | {} | {} | {} |\n", where.name, where.file, where.manual, cells);
            complete = is_complete(i, requests_can_fail) && complete;
        }
        for (const std::string& each : problems_) fmt::print(stderr, "every_fault: {}\n", each);
        return complete && problems_.empty();
    }

private:
    static constexpr unsigned waits_max = 20'000;

    bool is_wanted(std::string_view name) const { return only_.empty() || name == only_; }

    void all_of(const design& on, const scenario& what) {
        set_under_way("{}: {}", on.name, what.name);
        static_cast<void>(experiment(on, what, {}, 0, waits_max).run());  // initialises static objects
        const outcome usual = tried(on, what, {}, 0, waits_max);
        if (!usual.problem.empty()) return;
        const unsigned waits = 3 * usual.waits + 200;
        for (std::size_t i = 0; i < site_count; ++i) {
            const auto where = static_cast<site_id>(i);
            if (what.only_for && *what.only_for != where) continue;
            note_caller(on, what, i, usual.calls[i]);
            const auto& failures = sites()[i].failures;
            for (unsigned index = 0; index < usual.calls[i]; ++index) {
                for (std::size_t k = 0; k < failures.size(); ++k) {
                    if (failures[k].what == fate::seen || failures[k].what == fate::cannot) continue;
                    if (!whole_ && index != 0 && index % failures.size() != k) continue;
                    const outcome found = tried(on, what, plan{where, index, failures[k]}, 0, waits);
                    if (!found.has_failed) continue;
                    ++tried_[{i, failures[k].error}];
                    tried_here_.insert({driver_letter(on), i, failures[k].error});
                }
            }
        }
        if (!test::allocations_are_counted || what.only_for) return;
        for (std::size_t index = 1; index <= usual.allocations; ++index) {
            static_cast<void>(tried(on, what, {}, index, waits));
            ++allocation_runs_;
        }
    }

    outcome tried(const design& on, const scenario& what, const std::optional<plan>& planned,
                  std::size_t failing_allocation, unsigned waits) {
        std::string fault = "nothing fails";
        if (planned) {
            fault = fmt::format("call {} of {} gives {}", planned->index + 1,
                                sites()[static_cast<std::size_t>(planned->where)].name,
                                name_of(planned->what.error));
        } else if (failing_allocation != 0) {
            fault = fmt::format("allocation {} fails", failing_allocation);
        }
        set_under_way("{}, {}, {}", on.name, what.name, fault);
        ::alarm(60);
        const outcome found = experiment(on, what, planned, failing_allocation, waits).run();
        ::alarm(0);
        ++runs_;
        if (!found.problem.empty())
            problems_.push_back(fmt::format("{}, {}, {}: {}", on.name, what.name, fault, found.problem));
        return found;
    }

    void note_caller(const design& on, const scenario& what, std::size_t index, unsigned calls) {
        const site& where = sites()[index];
        const char letter = driver_letter(on);
        if (calls != 0 && where.callers.find(letter) == std::string_view::npos &&
            where.perhaps.find(letter) == std::string_view::npos) {
            problems_.push_back(fmt::format("{}, {}: {} is called, but missing in the table", on.name,
                                            what.name, where.name));
        }
    }

    bool is_complete(std::size_t index, bool requests_can_fail) const {
        const site& where = sites()[index];
        const bool is_request = index >= static_cast<std::size_t>(site_id::request_feed);
        if ((is_request && !requests_can_fail) || !only_.empty()) return true;
        bool complete = true;
        for (const failure& each : where.failures) {
            for (const char letter : designs_) {
                if (where.callers.find(letter) == std::string_view::npos || each.what == fate::cannot)
                    continue;
                const bool done = each.what == fate::seen ? was_seen(static_cast<site_id>(index), each.error)
                                                          : tried_here_.contains({letter, index, each.error});
                if (done) continue;
                complete = false;
                fmt::print(stderr, "every_fault: {} with {} was not tried by driver {}\n", where.name,
                           name_of(each.error), letter);
            }
        }
        return complete;
    }

    const bool whole_;
    const std::string_view only_;
    std::string designs_;
    std::map<std::pair<std::size_t, int>, unsigned> tried_;
    std::set<std::tuple<char, std::size_t, int>> tried_here_;
    std::vector<std::string> problems_;
    unsigned runs_ = 0;
    unsigned allocation_runs_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
    std::vector<std::string> names{"loop-epoll", "loop-uring", "loop-poll", "loop-asyncio", "loop-tick"};
    std::string only;
    bool whole = false;
    bool only_list = false;
    CLI::App command(
        "Lets every call of the loop and every allocation fail in each documented way, and prints the "
        "table.");
    command
        .add_option("--design", names,
                    "The designs to test; each must be tested with every error of its calls")
        ->capture_default_str();
    command.add_option("--scenario", only, "Run only this scenario, without the check for completeness");
    command.add_flag("--whole", whole, "Try every error at every single call");
    command.add_flag("--sites", only_list, "Print the known calls with their files, and exit");
    CLI11_PARSE(command, count, arguments);
    if (only_list) {
        for (const site& each : sites()) fmt::print("{}\t{}\n", each.call, each.file);
        return 0;
    }
    handle_signals();
    trials all(whole, only);
    const bool can = requests_can_fail();
    if (!can)
        fmt::print(stderr,
                   "every_fault: requests cannot be made to fail on this kernel; Linux 6.10 is required\n");
    for (const std::string& name : names) {
        const design* const found = find_design(name);
        if (found == nullptr) {
            fmt::print(stderr, "every_fault: '{}' is not a design\n", name);
            return 2;
        }
        const std::string refusal = found->driver == "io_uring" ? io_uring_refusal() : "";
        if (refusal.empty()) {
            all.all_on(*found);
        } else {
            fmt::print(stderr, "every_fault: {} is skipped: {}\n", name, refusal);
        }
    }
    return all.report(can) ? 0 : 1;
}

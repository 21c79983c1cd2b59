#include "bench/suite/threads/crew.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "bench/suite/recording/usage.hpp"
#include "bench/suite/workloads/trial/cores.hpp"

namespace loopbench::bench {

namespace {

bool may_oversubscribe() {
    const char* const text = std::getenv("LOOPBENCH_OVERSUBSCRIBE");
    return text != nullptr && std::string_view(text) == "1";
}

std::atomic<std::chrono::nanoseconds> longest_wait{};

std::string_view number_of(std::size_t cores) {
    return cores == 1 ? "core" : "cores";
}

}  // namespace

void report_wait_for_a_cpu(trial& t) {
    t.report("thread_wait", static_cast<double>(longest_wait.load().count()));
}

std::optional<thread_plan> plan_of_trial(std::size_t threads, trial& t) {
    thread_plan plan{.threads = threads, .cores = workloads::usable_cores()};
    const std::size_t cores = plan.cores.size();
    t.runs_on(
        {plan.cores.begin(), plan.cores.begin() + static_cast<std::ptrdiff_t>(std::min(threads, cores))});
    if (threads <= cores) return plan;
    if (!may_oversubscribe()) {
        t.unsupported(fmt::format(
            "the workload needs {} cores for its threads, and this process can use only {} {}; to let "
            "threads share a core, set LOOPBENCH_OVERSUBSCRIBE=1",
            threads, cores, number_of(cores)));
        return std::nullopt;
    }
    t.report("threads_per_core", static_cast<double>(threads) / static_cast<double>(cores));
    return plan;
}

thread_crew::thread_crew(const thread_plan& plan, duties todo) : size_(plan.threads), todo_(std::move(todo)) {
    try {
        for (std::size_t i = 0; i < size_; ++i) {
            const auto life = [this, i] { live(i); };
            threads_.push_back(plan.cores.empty()
                                   ? std::thread(life)
                                   : workloads::start_on_core(plan.cores[i % plan.cores.size()], life));
        }
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return prepared_ == size_; });
        if (failure_) std::rethrow_exception(failure_);
    } catch (...) {
        enter(phase::given_up);
        join_all();
        throw;
    }
}

thread_crew::~thread_crew() {
    enter(phase::given_up);
    join_all();
}

void thread_crew::run() {
    longest_wait.store({});
    enter(phase::working);
    join_all();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Calls step(). Keeps its exception if it is the first one, and returns false.
template <class Step>
bool thread_crew::try_step(Step step) {
    try {
        step();
        return true;
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        return false;
    }
}

void thread_crew::live(std::size_t index) {
    current_thread_index = index;
    const bool is_prepared = try_step([&] { todo_.prepare(index); });
    std::unique_lock lock(mutex_);
    ++prepared_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return phase_ != phase::preparing; });
    const bool works = phase_ == phase::working;
    lock.unlock();
    if (works) {
        const auto waited_before = run_delay();
        if (!try_step([&] { todo_.work(index); })) todo_.end_work();
        const auto waited = run_delay() - waited_before;
        lock.lock();
        longest_wait.store(std::max(longest_wait.load(), waited));
        ++worked_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return worked_ == size_; });
        lock.unlock();
    }
    if (is_prepared) todo_.leave(index);
}

void thread_crew::enter(phase next) {
    const std::lock_guard lock(mutex_);
    if (phase_ == phase::preparing) phase_ = next;
    changed_.notify_all();
}

void thread_crew::join_all() {
    for (std::thread& each : threads_)
        if (each.joinable()) each.join();
}

}  // namespace loopbench::bench

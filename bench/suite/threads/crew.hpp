#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

/// Returns the plan for `threads` threads, each with a core of its own, and states the cores in the trial. If
/// the process can use fewer cores, marks the trial as unsupported and returns nothing. But with
/// LOOPBENCH_OVERSUBSCRIBE=1 in the environment, threads share cores, and the trial reports
/// `threads_per_core`. Throws std::system_error.
std::optional<thread_plan> plan_of_trial(std::size_t threads, trial& t);

/// Reports the longest time for which a thread of the last crew was ready to run and waited for a CPU while
/// it worked (`thread_wait`, in ns). The harness sees such waits of the main thread only
/// (bench/harness/trial/disturbance.hpp).
void report_wait_for_a_cpu(trial& t);

/// The threads of a runtime. They are pinned, and know their numbers (this_thread_index()).
class thread_crew {
public:
    /// The functions that each thread calls with its number. A thread calls leave() when all threads have
    /// returned from work(), so that no thread uses what another thread has already destroyed. An
    /// exception of leave() or end_work() ends the process (std::terminate), because the other threads would
    /// otherwise wait for ever.
    struct duties {
        std::function<void(std::size_t)> prepare = [](std::size_t) {};
        std::function<void(std::size_t)> work;
        std::function<void(std::size_t)> leave = [](std::size_t) {};
        std::function<void()> end_work;  // makes work() return in all threads; called after an exception
    };

    /// Starts the threads. Returns when all of them have prepared. Throws the first exception of prepare(),
    /// or std::system_error if a thread cannot start; then no thread remains.
    thread_crew(const thread_plan& plan, duties todo);
    /// Ends the threads. If run() was not called, they do not work.
    ~thread_crew();
    thread_crew(const thread_crew&) = delete;
    thread_crew& operator=(const thread_crew&) = delete;

    std::size_t size() const noexcept { return size_; }

    /// Lets all threads work, and waits until they have ended. Throws the first exception of work().
    void run();

private:
    enum class phase { preparing, working, given_up };

    void live(std::size_t index);
    template <class Step>
    bool try_step(Step step);
    void enter(phase next);
    void join_all();

    const std::size_t size_;
    const duties todo_;
    std::mutex mutex_;
    std::condition_variable changed_;
    phase phase_ = phase::preparing;
    std::size_t prepared_ = 0;
    std::size_t worked_ = 0;
    std::exception_ptr failure_;
    std::vector<std::thread> threads_;  // declared last, because the threads use all members above
};

}  // namespace loopbench::bench

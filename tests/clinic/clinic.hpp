// The verdict of a clinic program, and the watchdog that ends a program that hangs.
//
// A program prints one line: `right`, `wrong: REASON`, or `measured: VALUE UNIT`. It ends with 1 if it is
// wrong, and otherwise with 0.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace clinic {

/// The time without a step of the program after which it counts as hanging. A step takes milliseconds.
inline constexpr std::chrono::seconds patience{30};

/// The time that a handler waits for another handler, which in most programs takes microseconds.
inline constexpr std::chrono::seconds patience_of_a_handler{3};

inline std::atomic<long> steps{0};

/// Counts a step of the program, which shows the watchdog that it does not hang. Any thread can call this
/// function.
inline void passed() noexcept {
    steps.fetch_add(1, std::memory_order_relaxed);
}

struct verdict {
    std::string line;
    int exit_code;
};

inline verdict right() {
    return {"right", 0};
}

/// Returns the verdict that the program has shown the symptom. The format is that of printf(3).
[[gnu::format(printf, 1, 2)]] inline verdict wrong(const char* format, ...) {
    char text[256];
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return {std::string("wrong: ") + text, 1};
}

/// Returns the verdict that the program has measured a value, which is printed with three digits.
inline verdict measured(double value, const std::string& unit) {
    char text[64];
    std::snprintf(text, sizeof text, value < 100 ? "measured: %.3g " : "measured: %.0f ", value);
    return {text + unit, 0};
}

/// Returns the elapsed time in seconds that a call of the function takes.
template <class Function>
double seconds_of(Function&& function) {
    const auto begin = std::chrono::steady_clock::now();
    function();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the CPU time of this process so far, in seconds.
inline double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Runs the program under a watchdog, prints its verdict, and returns the exit code of the process. An
/// exception is a wrong result.
template <class Program>
int judge(Program program) {
    const std::jthread watchdog([](std::stop_token ended) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any end;
        for (long before = -1; before != steps;) {
            before = steps;
            end.wait_for(lock, ended, patience, [] { return false; });
            if (ended.stop_requested()) return;
        }
        std::printf("wrong: nothing happened for %d s, after %ld steps\n", static_cast<int>(patience.count()),
                    steps.load());
        std::fflush(stdout);
        ::_exit(1);
    });
    verdict found = right();
    try {
        found = program();
    } catch (const std::exception& error) {
        found = wrong("threw an exception: %s", error.what());
    }
    std::printf("%s\n", found.line.c_str());
    return found.exit_code;
}

}  // namespace clinic

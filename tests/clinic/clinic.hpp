// The verdict of a clinic program, and the watchdog that ends a program that hangs. A program prints one of
// these lines; clinic.py reads it:
//
//     line                               exit code
//     right                              0
//     measured: VALUE (LOW to HIGH) UNIT 0; the range can be missing
//     wrong: REASON                      1; the program has shown the symptom
//     hangs: REASON                      1; the watchdog has ended the program
//     throws: REASON                     1; an exception has ended the program
//     unavailable: REASON                77; this system or this Boost cannot run the program
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

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

inline constexpr int unavailable_code = 77;  // CTest then counts the test as skipped (CMakeLists.txt)

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

/// Returns the verdict that this system or this Boost cannot run the program.
inline verdict unavailable(const std::string& reason) {
    return {"unavailable: " + reason, unavailable_code};
}

/// Returns the value with three digits.
inline std::string three_digits(double value) {
    char text[64];
    std::snprintf(text, sizeof text, value < 100 ? "%.3g" : "%.0f", value);
    return text;
}

/// Returns the verdict that the program has measured a value.
inline verdict measured(double value, const std::string& unit) {
    return {"measured: " + three_digits(value) + " " + unit, 0};
}

/// Returns the verdict that the program has measured the values, as their median and their range.
inline verdict measured(std::vector<double> values, const std::string& unit) {
    std::ranges::sort(values);
    const auto text_of = [&](std::size_t place) { return three_digits(values.at(place)); };
    return {"measured: " + text_of(values.size() / 2) + " (" + text_of(0) + " to " +
                text_of(values.size() - 1) + ") " + unit,
            0};
}

/// Returns eleven quotients of two times, which are measured in turn.
template <class First, class Second>
std::vector<double> quotients(First first, Second second) {
    std::vector<double> all;
    for (int i = 0; i < 11; ++i) all.push_back(first() / second());
    return all;
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

/// Returns the reason why this system refuses every context, for example because a sandbox forbids io_uring.
/// Returns an empty text if a context and a timer can be created: Asio's context makes its ring for the first
/// object.
inline std::string refusal() {
    const auto reason_of = [](int error, const char* what) {
        return error == EPERM || error == ENOSYS || error == EACCES ? std::string(what) : std::string();
    };
    try {
        boost::asio::io_context context;
        const boost::asio::steady_timer timer(context);
    } catch (const boost::system::system_error& error) {  // Asio's own context
        return reason_of(error.code().value(), error.what());
    } catch (const std::system_error& error) {  // this project's context
        return reason_of(error.code().value(), error.what());
    } catch (const std::exception&) {
        // The program will report it.
    }
    return {};
}

/// Runs the program under a watchdog, prints its verdict, and returns the exit code of the process.
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
        std::fprintf(stderr, "after %ld steps\n", steps.load());
        std::printf("hangs: nothing happened for %d s\n", static_cast<int>(patience.count()));
        std::fflush(stdout);
        ::_exit(1);
    });
    verdict found = right();
    try {
        const std::string reason = refusal();
        found = reason.empty() ? program() : unavailable(reason);
    } catch (const std::exception& error) {
        found = {std::string("throws: ") + error.what(), 1};
    }
    std::printf("%s\n", found.line.c_str());
    return found.exit_code;
}

}  // namespace clinic

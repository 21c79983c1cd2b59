// The frame of the contract programs: their list, waits with a limit, and threads in `run()`.
//
// A program ends with a verdict of the clinic (tests/clinic/clinic.hpp). If a thread waits too long, or if
// the context breaks the contract, the process ends at once with exit code 1 and a message.
#pragma once

#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace contract {

namespace net = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

/// The longest wait for another thread, which usually takes microseconds. The clinic's watchdog, which does
/// not know what a thread waits for, has more patience.
inline constexpr std::chrono::seconds longest_wait{20};

struct program {
    const char* name;
    std::vector<int> threads;  // the numbers of threads with which the program is run
    void (*run)(int threads);
};

inline std::vector<program>& programs() {
    static std::vector<program> all;
    return all;
}

struct added_program {
    added_program(const char* name, std::vector<int> threads, void (*run)(int)) {
        programs().push_back({name, std::move(threads), run});
    }
};

// Begins a program, and adds it to the list: CONTRACT_PROGRAM(NAME, THREADS...) { ... }. CMakeLists.txt finds
// the programs by lines that begin with this macro.
#define CONTRACT_PROGRAM(name, ...)                                                   \
    static void name(int threads);                                                    \
    static const contract::added_program name##_is_added(#name, {__VA_ARGS__}, name); \
    static void name([[maybe_unused]] int threads)

/// Ends the process, because the context has broken the contract.
[[noreturn]] inline void fail(const std::string& reason) {
    std::printf("%s\n", clinic::wrong("%s", reason.c_str()).line.c_str());
    std::fflush(stdout);
    ::_exit(1);
}

inline void check(bool is_kept, const char* otherwise) {
    if (!is_kept) fail(otherwise);
}

template <std::integral Found, std::integral Expected>
void check_count(Found found, Expected expected, const char* what) {
    if (std::cmp_equal(found, expected)) return;
    fail(std::to_string(found) + " " + what + " instead of " + std::to_string(expected));
}

[[noreturn]] inline void fail_after_wait(const char* what) {
    fail("a thread waited " + std::to_string(longest_wait.count()) + " s for " + what);
}

/// A counter for which threads wait until it is zero, each for at most `longest_wait`.
class latch {
public:
    /// `what` completes the message "a thread waited 20 s for".
    latch(int count, const char* what) : count_(count), what_(what) {}

    void count_down() {
        const std::lock_guard lock(mutex_);
        if (--count_ == 0)
            zero_.notify_all();  // with the lock, because a waiting thread can destroy this object
    }
    void wait() {
        std::unique_lock lock(mutex_);
        if (!zero_.wait_for(lock, longest_wait, [this] { return count_ <= 0; })) fail_after_wait(what_);
        clinic::passed();
    }
    void arrive_and_wait() {
        count_down();
        wait();
    }
    bool is_zero() {
        const std::lock_guard lock(mutex_);
        return count_ <= 0;
    }

private:
    std::mutex mutex_;
    std::condition_variable zero_;
    int count_;
    const char* what_;
};

/// Returns the value of the future, and waits for it for at most `longest_wait`.
template <class T>
T value_of(std::future<T> future, const char* what) {
    if (future.wait_for(longest_wait) != std::future_status::ready) fail_after_wait(what);
    clinic::passed();
    return future.get();
}

/// Threads in `run()` of a context.
class runners {
public:
    runners(net::io_context& context, int threads) : ran_(static_cast<std::size_t>(threads)) {
        for (auto& ran : ran_) threads_.emplace_back([&context, &ran] { ran = context.run(); });
    }

    /// Waits until all threads have left `run()`. Returns the number of handlers that they report.
    std::size_t join() {
        for (auto& thread : threads_) thread.join();
        threads_.clear();
        std::size_t sum = 0;
        for (const std::size_t ran : ran_) sum += ran;
        clinic::passed();
        return sum;
    }

private:
    std::vector<std::size_t> ran_;
    std::vector<std::jthread> threads_;
};

/// Handlers that block threads of a context. The constructor returns when all of them have begun, and the
/// destructor ends them.
class blockers {
public:
    blockers(net::io_context& context, int count)
        : begun_(count, "other handlers to run while one handler blocks"),
          ended_(count, "blocked handlers to continue") {
        for (int i = 0; i < count; ++i)
            net::post(context, [this] {
                begun_.count_down();
                end_.wait();
                ended_.count_down();
            });
        begun_.wait();
    }
    blockers& operator=(blockers&&) = delete;
    ~blockers() {
        end_.count_down();
        ended_.wait();
    }

private:
    latch begun_, ended_;
    std::latch end_{1};  // without a limit, because others report why the handlers do not end
};

/// A place where no two functions are at once. It has no lock.
class exclusive_place {
public:
    template <class Function>
    void visit(Function function) {
        check(!is_occupied_, "two functions of one strand ran at once");
        is_occupied_ = true;
        function();
        if (++visits_ % 16 == 0) std::this_thread::yield();  // gives a wrong strand more chances to fail
        is_occupied_ = false;
    }
    void visit() {
        visit([] {});
    }
    std::size_t visits() const { return visits_; }

private:
    bool is_occupied_ = false;
    std::size_t visits_ = 0;
};

}  // namespace contract

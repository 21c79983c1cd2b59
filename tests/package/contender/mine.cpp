// A loop of one's own as a contender. It borrows coroutines, the ready queue and gather from the installed
// loop, and brings what makes a loop: a turn, timers (a multimap) and a way to sleep (a semaphore). It has no
// network: the workloads that need one are then `unsupported`, and all others are measured.
#include <chrono>
#include <coroutine>
#include <map>
#include <memory>
#include <semaphore>
#include <utility>

#include "bench/contenders/contender_main.hpp"
#include "bench/contenders/no_network.hpp"
#include "loop/event.hpp"
#include "loop/loop_core.hpp"

using loopbench::bench::time_point;

// bench/runtime.hpp says what each of these means; the compiler says which is missing.
class my_loop : public loopbench::loop::loop_core, public loopbench::bench::no_network {
public:
    static constexpr auto name = "mine";
    template <class T>
    using task = loopbench::loop::task<T>;
    using event = loopbench::loop::event;

    ~my_loop() { close(); }

    template <class T>
    T run(task<T> main) {
        const auto shared = std::make_shared<task<T>>(std::move(main));  // an exception may leave this run()
        spawn(run_to_end(shared));
        while (!shared->done()) turn();
        return shared->result();
    }

    static time_point now() { return std::chrono::steady_clock::now(); }

    auto sleep_until(time_point when) {
        struct sleeper {
            my_loop& loop;
            time_point when;
            bool await_ready() const { return false; }
            void await_suspend(std::coroutine_handle<> waiter) { loop.sleepers_.emplace(when, waiter); }
            void await_resume() const {}
        };
        return sleeper{*this, when};
    }

    template <class F>
    void post_from_any_thread(F&& function) {
        push_from_any_thread(loopbench::loop::make_callback(std::forward<F>(function)));
        posted_.release();
    }

private:
    template <class T>
    static task<void> run_to_end(std::shared_ptr<task<T>> shared) {
        co_await shared->join();
    }

    void turn() {
        if (ready().empty() && !has_posted() && !sleepers_.empty())
            static_cast<void>(posted_.try_acquire_until(sleepers_.begin()->first));
        else if (ready().empty() && !has_posted())
            posted_.acquire();
        for (; !sleepers_.empty() && sleepers_.begin()->first <= now(); sleepers_.erase(sleepers_.begin()))
            post([waiter = sleepers_.begin()->second] { waiter.resume(); });
        take_posted(ready());
        run_ready([](auto& operation) { operation.complete(&operation, loopbench::loop::completion::run); });
    }

    std::multimap<time_point, std::coroutine_handle<>> sleepers_;
    std::counting_semaphore<> posted_{0};
};

int main(int argc, char** argv) {
    return loopbench::bench::contender_main<my_loop>(
        argc, argv, {.library = "a loop of my own", .library_version = "1", .driver = "none"});
}

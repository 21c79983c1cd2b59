// A user's own loop as a contender: coroutines, run(), the ready queue and gather from the installed package,
// with its own turn, timers and way to sleep. Workloads that need a network are `unsupported`.
#include <chrono>
#include <coroutine>
#include <limits>
#include <map>
#include <semaphore>
#include <utility>

#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/contenders/no_network.hpp"
#include "loop/coro/event.hpp"
#include "loop/scheduler.hpp"

using loopbench::bench::time_point;

class my_loop final : public loopbench::loop::scheduler, public loopbench::bench::no_network {
public:
    static constexpr auto name = "mine";
    template <class T>
    using task = loopbench::loop::task<T>;
    using event = loopbench::loop::event;

    ~my_loop() { close(); }

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

private:
    void wake() noexcept override { posted_.release(); }

    void take_turns(const bool& done) override {
        do turn();
        while (!done);
    }

    void turn() {
        if (ready().empty() && !has_posted() && !sleepers_.empty())
            static_cast<void>(posted_.try_acquire_until(sleepers_.begin()->first));
        else if (ready().empty() && !has_posted())
            posted_.acquire();
        for (; !sleepers_.empty() && sleepers_.begin()->first <= now(); sleepers_.erase(sleepers_.begin()))
            post([waiter = sleepers_.begin()->second] { waiter.resume(); });
        take_posted();
        run_ready(std::numeric_limits<std::size_t>::max());
    }

    std::multimap<time_point, std::coroutine_handle<>> sleepers_;
    std::counting_semaphore<> posted_{0};
};

int main(int argc, char** argv) {
    return loopbench::bench::contender_main<my_loop>(
        argc, argv, {.library = "a loop of my own", .library_version = "1", .driver = "none"});
}

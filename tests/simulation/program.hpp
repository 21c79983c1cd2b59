// The program that runs on the simulated kernel. It has up to 63 tasks, and a simple model of the correct
// results. Tasks are cancelled at any moment, and a new task begins for each task that has ended.
//
// These conditions must hold: Every byte is read at the position at which it was written. No byte is lost
// unless the connection broke. The result of a write is the number of bytes that the kernel has taken. No
// timer fires early. Each posted function runs once, and the functions posted by one thread run in the order
// in which they were posted. A cancelled call never runs. A task ends as cancelled only if it was cancelled,
// and every cancelled task ends. A possible event (a read of arrived bytes, a due timer, a post) happens
// within a limited number of turns. At the end, no descriptor is open, and nothing waits.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loop/coro/future.hpp"
#include "loop/net/stream.hpp"
#include "tests/simulation/kernel.hpp"

namespace loopbench::simulation {

struct promises {
    bool starves = false;  // the loop checks timers and I/O only when its queue is empty (tutorial 003)
    bool spins = false;    // the loop never sleeps; time passes only during its calls
};

struct tally {
    std::uint64_t turns = 0;
    std::uint64_t tasks = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t sleeps = 0;
    std::uint64_t connections = 0;
    std::uint64_t bytes = 0;
    std::uint64_t posts = 0;

    tally& operator+=(const tally& other) noexcept;
};

class program {
public:
    program(kernel& of, const promises& promised);
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program();

    /// Makes the program use the loop `on`. The loop must be destroyed before the program.
    void begin(loop::event_loop& on);
    /// Checks the conditions that are listed at the top of this file, and cancels some tasks. Begins new
    /// tasks if `may_begin` is true.
    void between_turns(bool may_begin);
    bool is_over() const noexcept;
    /// Forgets the running tasks. Must be called before the loop is destroyed, because the loop owns the
    /// tasks.
    void let_go() noexcept;
    void expect_nothing_waits() const;

    tally done;

private:
    template <class T = void>
    using task = loop::task<T>;
    using stream = loop::stream;

    struct actor {
        std::string_view what;
        loop::task_handle<void> handle;
        bool is_cancelled = false;
        std::uint64_t cancelled_at = 0;
    };
    struct wait {
        std::string_view what;
        std::function<bool()> is_possible;
        std::uint64_t possible_since = 0;
    };
    class waiting;
    struct other_thread {
        std::uint64_t posted = 0;
        std::uint64_t run = 0;
        std::deque<std::uint64_t> turns;
    };
    struct made_calls;

    void begin_one();
    void begin(std::string_view what, task<void> work);
    void see_who_has_ended();
    void cancel(actor& chosen);
    void cancel_a_random_actor();
    void look_for_starving();
    void look_before_sleep();
    void act_as_other_threads();
    void post();
    void expect(bool holds, std::string_view what) const;

    task<void> sleep(nanoseconds duration);
    task<void> sleep_often();
    task<void> sleep_on();
    task<void> yield_often();
    task<void> gather_tree(int levels);
    task<void> gather_often();
    task<void> race_once();
    task<void> sleep_and_note(nanoseconds duration, std::size_t number, std::vector<std::size_t>& order);
    task<void> set_limits();
    task<void> share_future();
    task<void> wait_for(loop::future<int> value, std::size_t number, std::vector<std::size_t>& order);
    task<void> settle(loop::promise<int> value, nanoseconds after);
    task<void> call_later();
    task<void> serve(bool is_unix);
    task<void> be_client();
    task<void> converse(stream connected);
    task<void> close_later(stream& closed);
    task<void> write_all(stream& to, const std::shared_ptr<socket_file>& mine);
    task<void> read_all(stream& from, const std::shared_ptr<socket_file>& mine);
    task<loop::io_result> write(stream& to, std::span<const std::byte> bytes, socket_file& mine);
    task<loop::io_result> read(stream& from, std::span<std::byte> buffer, socket_file& mine,
                               std::uint64_t had);
    task<void> call_when_readable(stream& from, const std::shared_ptr<socket_file>& mine);
    bool take(const socket_file& mine, std::span<const std::byte> bytes, std::uint64_t& offset);
    task<void> pause();

    loop::time_point after(nanoseconds duration) const noexcept;
    nanoseconds some_time() noexcept { return chance_.time_of_any_magnitude(promised_.spins ? 24 : 34); }

    kernel& kernel_;
    chance& chance_;
    const promises promised_;
    loop::event_loop* loop_ = nullptr;
    std::size_t actors_max_;
    std::list<actor> actors_;
    std::size_t servers_ = 0;
    std::vector<std::string> addresses_;
    std::list<wait> waits_;
    std::array<other_thread, 3> threads_;
    std::uint64_t paths_ = 0;
    bool may_begin_ = false;
};

}  // namespace loopbench::simulation

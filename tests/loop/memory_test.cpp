// Tests a loop that cannot allocate memory. Closing a stream, cancelling a task and destroying the loop need
// no memory and always succeed.
#include <fcntl.h>

#include <coroutine>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <optional>

#include "tests/loop/allocations.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

struct own_context {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
        context = coroutine.promise().context;
        return false;
    }
    const task_context* await_resume() const noexcept { return context; }

    const task_context* context = nullptr;
};

template <class Function>
bool is_refused(Function act, std::size_t few = 0) {
    try {
        const out_of_memory none(few);
        act();
    } catch (const std::bad_alloc&) {
        return true;
    }
    return false;
}

/// Timers that use up the memory that the loop has already allocated. The next timer therefore needs an
/// allocation.
class full_timers {
public:
    explicit full_timers(event_loop& loop) : loop_(loop) {
        while (!full_ && timers_.size() < timers_max) {
            timer& next = timers_.emplace_back();
            next.deadline = loop.now() + 24h;
            full_ = is_refused([&] { loop.arm(next); });
        }
        if (full_) timers_.pop_back();
    }
    full_timers(const full_timers&) = delete;
    full_timers& operator=(const full_timers&) = delete;
    ~full_timers() {
        for (timer& each : timers_) loop_.disarm(each);
    }

    bool are_full() const noexcept { return full_; }

private:
    static constexpr std::size_t timers_max = 1'000'000;  // uses up the thread's recycled memory, too

    event_loop& loop_;
    std::deque<timer> timers_;
    bool full_ = false;
};

}  // namespace

class without_memory : public on_manual_time {
protected:
    void SetUp() override {
        if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
        on_manual_time::SetUp();
    }
    /// Returns true for the two designs whose sleeps allocate nothing. In loop-round-robin (tutorial 001), a
    /// sleeping task reads the clock on every turn. In loop-layered (tutorial 002), the timers are the nodes
    /// of the list.
    static bool sleeps_need_no_memory() { return is("loop-round-robin") || is("loop-layered"); }
};
INSTANTIATE_TEST_SUITE_P(, without_memory, all_designs(), design_name);

TEST_P(without_memory, a_sleep_without_memory_for_its_timer_throws_and_its_task_is_no_longer_suspended) {
    if (sleeps_need_no_memory()) GTEST_SKIP() << GetParam() << " needs no memory for a sleep";
    event_loop& loop = keep(make_loop());
    const full_timers others(loop);
    ASSERT_TRUE(others.are_full()) << "the next timer must need an allocation, or this test is useless";
    std::optional<task_handle<void>> handle;
    bool refused = false;
    bool refused_again = false;
    const suspension* waited_on = nullptr;
    bool slept_again = false;
    auto work = [&]() -> task<void> {
        try {
            const out_of_memory none;
            co_await loop.sleep_for(1h);
        } catch (const std::bad_alloc&) {
            refused = true;
        }
        waited_on = (co_await own_context())->waiting_on;
        co_await loop.sleep_for(1ms);
        slept_again = true;
        const full_timers more(loop);
        try {
            const out_of_memory none;
            co_await loop.sleep_for(1h);
        } catch (const std::bad_alloc&) {
            handle->cancel();
            refused_again = true;
        }
        if (refused_again) co_await loop.sleep_until(never);
    };
    handle = create_task(loop, work());
    loop.run(until_done(std::vector{*handle}));
    EXPECT_TRUE(refused);
    EXPECT_EQ(waited_on, nullptr) << "the task must no longer be suspended in the sleep";
    EXPECT_TRUE(slept_again);
    EXPECT_EQ(ending_of(handle->outcome()), "cancelled");
}

TEST_P(without_memory, a_task_whose_sleep_has_thrown_can_be_cancelled_at_its_next_wait) {
    if (sleeps_need_no_memory()) GTEST_SKIP() << GetParam() << " needs no memory for a sleep";
    event_loop& loop = keep(make_loop());
    std::optional<full_timers> others(std::in_place, loop);
    event silent(loop);
    int refused = 0;
    auto work = [&]() -> task<void> {
        for (int i = 0; i < 3; ++i) {
            try {
                const out_of_memory none;
                co_await loop.sleep_for(1ms);
            } catch (const std::bad_alloc&) {
                ++refused;
            }
        }
        co_await silent.wait();
    };
    const auto handle = create_task(loop, work());
    auto main = [&]() -> task<void> {
        co_await yield_times(loop, 3);
        others.reset();
        co_await loop.sleep_for(1s);
        handle.cancel();
        co_await yield_times(loop, 3);
    };
    loop.run(main());
    EXPECT_EQ(refused, 3);
    EXPECT_EQ(ending_of(handle.outcome()), "cancelled");
}

TEST_P(without_memory, scheduling_a_call_without_memory_for_its_timer_throws_and_frees_the_call) {
    if (is("loop-layered"))
        GTEST_SKIP() << GetParam() << " needs no memory for a timer, because the timers are linked in a list";
    event_loop& loop = keep(make_loop());
    for (int i = 0; i < 10; ++i) loop.call_later(1h, [] {}).cancel();  // later calls reuse this memory
    const full_timers others(loop);
    ASSERT_TRUE(others.are_full()) << "the next timer must need an allocation, or this test is useless";
    int freed = 0;
    std::function<void()> function = [owned = std::make_shared<freed_counter>(freed)] {};
    EXPECT_TRUE(is_refused([&] { loop.call_later(1h, std::move(function)); }));
    function = nullptr;  // libc++ copies a small function instead of moving it
    EXPECT_EQ(freed, 1);
}

// In debug mode, the name of a posted function needs an additional allocation. If only this allocation fails,
// the function is posted without its name.
TEST_P(without_memory, a_post_without_memory_throws_unless_only_its_name_lacks_memory) {
    event_loop& loop = keep(make_loop());
    loop.warn_of_slow_callbacks(1h, [](nanoseconds, const std::string&) {});
    int freed = 0;
    int calls = 0;
    int refused = 0;
    auto post_with = [&](std::size_t few, auto post) {
        auto owned = std::make_shared<freed_counter>(freed);
        refused += is_refused([&] { post([&calls, counted = std::move(owned)] { ++calls; }); }, few);
    };
    for (const std::size_t few : {0u, 1u, 2u, 3u}) {
        post_with(few, [&](auto&& function) { loop.post(std::move(function)); });
        post_with(few, [&](auto&& function) { loop.post_from_any_thread(std::move(function)); });
    }
    EXPECT_GE(refused, 1);
    EXPECT_EQ(freed, refused) << "refused operations must be freed";
    loop.run_until_idle();
    EXPECT_EQ(calls + refused, 8);
    EXPECT_EQ(freed, 8);
}

TEST_P(without_memory, dropping_a_promise_without_memory_calls_the_callbacks_of_its_future) {
    event_loop& loop = keep(make_loop());
    std::optional<promise<int>> dropped(std::in_place, loop);
    const auto outcome = dropped->get_future();
    int calls = 0;
    for (int i = 0; i < 50; ++i) outcome.add_done_callback([&](const auto& done) { calls += done.done(); });
    auto waits = [](future<int> awaited) -> task<void> { co_await awaited; };
    const auto waiting = create_task(loop, waits(outcome));
    loop.run(yield_times(loop, 2));
    {
        const out_of_memory none;
        dropped.reset();
    }
    EXPECT_EQ(ending_of(outcome), "cancelled");
    loop.run_until_idle();
    EXPECT_EQ(calls, 50);
    EXPECT_EQ(ending_of(waiting.outcome()), "cancelled");
}

TEST_P(without_memory, futures_can_be_dropped_without_memory_before_they_are_done) {
    event_loop& loop = keep(make_loop());
    int freed = 0;
    {
        promise<int> kept(loop);
        std::optional<future<int>> dropped(kept.get_future());
        for (int i = 0; i < 50; ++i)
            dropped->add_done_callback([owned = std::make_shared<freed_counter>(freed)](const auto&) {});
        const promise<int> last = std::move(kept);
        const out_of_memory none;
        dropped.reset();
    }
    loop.run_until_idle();
    EXPECT_EQ(freed, 50);
}

TEST_P(without_memory, streams_with_pending_operations_can_be_closed_without_memory) {
    event_loop& loop = keep(make_loop());
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{16} << 20);
    std::vector<stream_pair> pairs;
    for (int i = 0; i < 20; ++i) pairs.push_back(make_unix_pair(loop));
    auto listener = loop.listen();
    auto pipe = loop.open_pipe();
    std::vector<int> errors;
    auto reads = [&](stream& from) -> task<void> {
        std::array<std::byte, 16> buffer;
        const io_result result = co_await from.read_some(buffer);
        errors.push_back(result.error);
    };
    auto reads_pipe = [&]() -> task<void> {
        std::array<std::byte, 16> buffer;
        const io_result result = co_await pipe.reader.read_some(buffer);
        errors.push_back(result.error);
    };
    auto writes = [&](stream& to) -> task<void> {
        const io_result result = co_await to.write_all(more_than_the_kernel_takes);
        errors.push_back(result.error);
    };
    auto accepts = [&]() -> task<void> {
        try {
            co_await listener.accept();
        } catch (const std::system_error& closed) {
            errors.push_back(closed.code().value());
        }
    };
    errors.reserve(2 * pairs.size() + 2);
    std::vector<task_handle<void>> tasks{create_task(loop, accepts()), create_task(loop, reads_pipe())};
    for (stream_pair& each : pairs) {
        tasks.push_back(create_task(loop, reads(each.one)));
        tasks.push_back(create_task(loop, writes(each.one)));
    }
    turn_often(loop);
    EXPECT_EQ(loop.io().pending(), tasks.size())
        << "all operations must be pending before the memory is used up";
    {
        const out_of_memory none;
        for (stream_pair& each : pairs) each.one.close();
        listener.close();
        pipe.reader.close();
    }
    loop.run(until_done(tasks));
    EXPECT_EQ(errors, std::vector(tasks.size(), ECANCELED));
    EXPECT_EQ(loop.io().pending(), 0u);
}

TEST_P(without_memory, tasks_can_be_cancelled_without_memory_at_any_wait) {
    event_loop& loop = keep(make_loop());
    std::vector<stream_pair> pairs;
    for (int i = 0; i < 20; ++i) pairs.push_back(make_unix_pair(loop));
    event silent(loop);
    promise<void> unkept(loop);
    auto reads = [](stream& from) -> task<void> { co_await read_text(from); };
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_for(1h); };
    auto waits = [&]() -> task<void> { co_await silent.wait(); };
    auto wants = [&]() -> task<void> { co_await unkept.get_future(); };
    auto gathers = [&]() -> task<void> {
        std::array children{sleeps(), waits()};
        co_await loop.gather(std::span(children));
    };
    std::vector<task_handle<void>> tasks;
    for (stream_pair& each : pairs) {
        tasks.push_back(create_task(loop, reads(each.one)));
        tasks.push_back(create_task(loop, sleeps()));
        tasks.push_back(create_task(loop, waits()));
        tasks.push_back(create_task(loop, wants()));
        tasks.push_back(create_task(loop, gathers()));
    }
    turn_often(loop);
    EXPECT_EQ(loop.io().pending(), pairs.size())
        << "all operations must be pending before the memory is used up";
    {
        const out_of_memory none;
        for (const auto& each : tasks) each.cancel();
    }
    loop.run(until_done(tasks));
    for (const auto& each : tasks) EXPECT_EQ(ending_of(each.outcome()), "cancelled");
    EXPECT_EQ(loop.io().pending(), 0u);
}

TEST_P(without_memory, a_loop_can_be_destroyed_without_memory_while_operations_of_every_kind_are_pending) {
    int freed = 0;
    int ends[2];
    checked(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), "pipe2");
    const unique_fd watched(ends[0]);
    const unique_fd other_end(ends[1]);
    auto owner = make_loop();
    event_loop& loop = *owner;
    auto listener = loop.listen();
    event silent(loop);
    std::optional<promise<void>> unkept(std::in_place, loop);
    auto reads = [&](stream_pair pair, freed_counter) -> task<void> { co_await read_text(pair.one); };
    auto accepts = [&](freed_counter) -> task<void> { co_await listener.accept(); };
    auto sleeps = [&](freed_counter) -> task<void> { co_await loop.sleep_for(1h); };
    auto waits = [&](freed_counter) -> task<void> { co_await silent.wait(); };
    auto wants = [](future<void> wanted, freed_counter) -> task<void> { co_await wanted; };
    loop.spawn(accepts(freed_counter(freed)));
    for (int i = 0; i < 20; ++i) {
        loop.spawn(reads(make_unix_pair(loop), freed_counter(freed)));
        loop.spawn(sleeps(freed_counter(freed)));
        loop.spawn(waits(freed_counter(freed)));
        loop.spawn(wants(unkept->get_future(), freed_counter(freed)));
        loop.call_later(1h, [owned = std::make_shared<freed_counter>(freed)] {});
    }
    loop.add_reader(watched.get(), [owned = std::make_shared<freed_counter>(freed)] {});
    turn_often(loop);
    loop.post([owned = std::make_shared<freed_counter>(freed)] {});
    {
        const out_of_memory none;
        listener.close();
        unkept.reset();
        owner.reset();
    }
    EXPECT_EQ(freed, 1 + 5 * 20 + 2);
}

TEST_P(without_memory, a_read_that_cannot_be_started_throws_and_can_be_started_when_memory_is_back) {
    event_loop& loop = keep(make_loop());
    std::vector<stream_pair> pairs;
    for (int i = 0; i < 20; ++i) pairs.push_back(make_unix_pair(loop));
    loop.io().wait(do_not_wait);  // on io_uring, starts need memory only after the first wait
    char byte;
    std::deque<io_operation> reads;
    int refused = 0;
    for (const stream_pair& each : pairs) {
        io_operation& read = reads.emplace_back();
        read.complete = [](operation*, completion) {};
        read.kind = io_kind::receive;
        read.fd = each.one.native_handle();
        read.data = reinterpret_cast<std::byte*>(&byte);
        read.size = 1;
        refused += is_refused([&] { loop.io().start(read); });
        if (!read.pending) loop.io().start(read);
    }
    EXPECT_GE(refused, 1) << "at least one read must lack memory, or this test is useless";
    for (const stream_pair& each : pairs) put(each.other.native_handle(), "x");
    turn_often(loop);
    for (const io_operation& read : reads) EXPECT_EQ(read.result, 1);
    EXPECT_EQ(loop.io().pending(), 0u);
}

}  // namespace loopbench::loop::test

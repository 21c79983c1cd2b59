// A loop that is destroyed frees every frame, wherever it is suspended. (AddressSanitizer sees the frames;
// the counters see what is in them.)
#include <filesystem>
#include <iterator>
#include <memory>

#include "loop/event.hpp"
#include "loop/future.hpp"
#include "loop/net/datagram.hpp"
#include "loop/net/resolver.hpp"
#include "loop/net/signals.hpp"
#include "loop/timeout.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {
using namespace std::chrono_literals;
}

template <class R>
class destroying_a_loop : public on_design<R> {
protected:
    /// Starts `work(runtime, counter)` on a loop, destroys it, and gives how many of `count` counters were
    /// freed.
    template <class Work>
    static int freed_by(Work work, int turns = 20) {
        int freed = 0;
        {
            R runtime;
            runtime.spawn(work(runtime, freed_counter(freed)));
            runtime.run(yield_times(runtime, turns));
            EXPECT_EQ(freed, 0);
        }
        return freed;
    }
};
TYPED_TEST_SUITE(destroying_a_loop, real_designs, design_names);

TYPED_TEST(destroying_a_loop, frees_a_task_that_sleeps_or_yields) {
    const auto sleeps = [](TypeParam& runtime, freed_counter) -> task<void> {
        co_await runtime.sleep_for(24h);
    };
    const auto yields = [](TypeParam& runtime, freed_counter) -> task<void> {
        for (;;) co_await runtime.yield();
    };
    EXPECT_EQ(this->freed_by(sleeps), 1);
    EXPECT_EQ(this->freed_by(yields), 1);
}

TYPED_TEST(destroying_a_loop, frees_a_task_that_waits_for_a_future_or_an_event) {
    const auto wants = [](TypeParam& runtime, freed_counter) -> task<void> {
        promise<int> unkept(runtime);
        co_await unkept.get_future();
    };
    const auto waits = [](TypeParam& runtime, freed_counter) -> task<void> {
        event silent(runtime);
        co_await silent.wait();
    };
    EXPECT_EQ(this->freed_by(wants), 1);
    EXPECT_EQ(this->freed_by(waits), 1);
}

TYPED_TEST(destroying_a_loop, frees_a_gather_a_race_and_a_time_limit) {
    int freed = 0;
    const auto child = [&](TypeParam& runtime) -> task<void> {
        const freed_counter counter(freed);
        co_await runtime.sleep_for(24h);
    };
    const auto gathers = [&](TypeParam& runtime, freed_counter) -> task<void> {
        std::array children{child(runtime), child(runtime)};
        co_await runtime.gather(std::span(children));
    };
    const auto races = [&](TypeParam& runtime, freed_counter) -> task<void> {
        std::array children{child(runtime), child(runtime)};
        co_await runtime.race(std::span(children));
    };
    const auto is_limited = [&](TypeParam& runtime, freed_counter) -> task<void> {
        co_await with_deadline(runtime, child(runtime), never);
    };
    EXPECT_EQ(this->freed_by(gathers), 1);
    EXPECT_EQ(this->freed_by(races), 1);
    EXPECT_EQ(this->freed_by(is_limited), 1);
    EXPECT_EQ(freed, 5);
}

TYPED_TEST(destroying_a_loop, frees_tasks_with_a_name_and_who_waits_for_them) {
    int freed = 0;
    const auto sleeps = [&](TypeParam& runtime) -> task<void> {
        const freed_counter counter(freed);
        co_await runtime.sleep_for(24h);
    };
    const auto waits = [&](TypeParam& runtime, freed_counter) -> task<void> {
        const auto handle = create_task(runtime, sleeps(runtime));
        co_await handle;
    };
    EXPECT_EQ(this->freed_by(waits), 1);
    EXPECT_EQ(freed, 1);
}

// The child's frame is gone by then, and with it what the handle points to.
TYPED_TEST(destroying_a_loop, makes_handles_harmless_that_outlive_their_task) {
    struct canceller {
        task_handle<void> child;
        int& done;
        ~canceller() {
            done += child.done();
            child.cancel();
        }
    };
    int done = 0;
    const auto sleeps = [](TypeParam& runtime) -> task<void> { co_await runtime.sleep_for(24h); };
    const auto guards = [&](TypeParam& runtime, freed_counter) -> task<void> {
        const canceller guard{create_task(runtime, sleeps(runtime)), done};
        co_await runtime.sleep_for(24h);
    };
    EXPECT_EQ(this->freed_by(guards), 1);
    EXPECT_EQ(done, 1);
}

// A waiter dies, and then whoever was to wake it, in his destructor, does.
TYPED_TEST(destroying_a_loop, lets_destructors_wake_those_who_are_gone) {
    struct waker {
        event& awaited;
        ~waker() { awaited.set(); }
    };
    const auto waits = [](event& awaited) -> task<void> { co_await awaited.wait(); };
    const auto wakes = [&](TypeParam& runtime, freed_counter) -> task<void> {
        event awaited(runtime);
        const waker at_the_end{awaited};
        for (int i = 0; i < 3; ++i) runtime.spawn(waits(awaited));
        co_await runtime.sleep_for(24h);
    };
    EXPECT_EQ(this->freed_by(wakes), 1);
}

// The event lives in a frame that is destroyed before those that wait for it.
TYPED_TEST(destroying_a_loop, lets_an_event_go_before_its_waiters) {
    int freed = 0;
    {
        TypeParam runtime;
        event* awaited = nullptr;
        auto waits = [&](freed_counter) -> task<void> {
            while (awaited == nullptr) co_await runtime.yield();
            co_await awaited->wait();
        };
        auto owns = [&]() -> task<void> {
            event silent(runtime);
            awaited = &silent;
            co_await runtime.sleep_for(24h);
        };
        runtime.spawn(waits(freed_counter(freed)));
        runtime.spawn(waits(freed_counter(freed)));
        runtime.spawn(owns());
        runtime.run(yield_times(runtime, 10));
    }
    EXPECT_EQ(freed, 2);
}

TYPED_TEST(destroying_a_loop, frees_a_task_that_reads_or_writes) {
    const auto reads = [](TypeParam& runtime, freed_counter) -> task<void> {
        auto pair = make_unix_pair(runtime);
        co_await read_text(pair.one);
    };
    const auto writes = [](TypeParam& runtime, freed_counter) -> task<void> {
        auto pair = make_unix_pair(runtime);
        const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{16} << 20);
        co_await pair.one.write_all(more_than_the_kernel_takes);
    };
    EXPECT_EQ(this->freed_by(reads), 1);
    EXPECT_EQ(this->freed_by(writes), 1);
}

TYPED_TEST(destroying_a_loop, frees_a_task_that_accepts) {
    const auto accepts = [](TypeParam& runtime, freed_counter) -> task<void> {
        auto listener = runtime.listen();
        co_await listener.accept();
    };
    EXPECT_EQ(this->freed_by(accepts), 1);
}

TYPED_TEST(destroying_a_loop, closes_a_connection_that_was_accepted_and_not_yet_taken) {
    const auto count = [] {
        const std::filesystem::directory_iterator open("/proc/self/fd");
        return std::distance(begin(open), end(open));
    };
    const auto before = count();
    {
        TypeParam runtime;
        auto listener = runtime.listen();
        auto accepts = [&]() -> task<void> { co_await listener.accept(); };
        runtime.spawn(accepts());
        runtime.run(yield_times(runtime, 100));
        EXPECT_EQ(runtime.driver().in_flight(), 1u);
        const auto where = endpoint::loopback(listener.port());
        const unique_fd client(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
        checked(::connect(client.get(), reinterpret_cast<const sockaddr*>(&where.address()), where.bytes()),
                "connect");
        for (int i = 0; i < 1'000 && runtime.driver().in_flight() != 0; ++i)
            runtime.driver().wait(do_not_wait);
        EXPECT_TRUE(runtime.has_ready()) << "accepted, and waiting for its turn";
    }
    EXPECT_EQ(count(), before);
}

TYPED_TEST(destroying_a_loop, frees_a_task_that_waits_for_a_pipe_a_datagram_or_a_signal) {
    using loop_type = std::remove_reference_t<decltype(std::declval<typename TypeParam::stream&>().loop())>;
    const auto reads = [](TypeParam& runtime, freed_counter) -> task<void> {
        auto pipe = open_pipe<loop_type>(runtime);
        co_await read_text(pipe.reader);
    };
    const auto receives = [](TypeParam& runtime, freed_counter) -> task<void> {
        basic_datagram_socket<loop_type> socket(runtime, open_datagram(endpoint::loopback(0)));
        std::array<std::byte, 16> buffer;
        co_await socket.receive_from(buffer);
    };
    const auto listens = [](TypeParam& runtime, freed_counter) -> task<void> {
        signal_receiver<loop_type> signals(runtime, {SIGUSR2});
        co_await signals.next();
    };
    EXPECT_EQ(this->freed_by(reads), 1);
    EXPECT_EQ(this->freed_by(receives), 1);
    EXPECT_EQ(this->freed_by(listens), 1);
}

// Its thread is waited for, and posts the answer to a loop that is being destroyed.
TYPED_TEST(destroying_a_loop, frees_a_task_that_resolves_a_name) {
    const auto resolves = [](TypeParam& runtime, freed_counter) -> task<void> {
        resolver<TypeParam> names(runtime);
        co_await names.resolve("127.0.0.1", "80");
        co_await runtime.sleep_for(24h);
    };
    for (int i = 0; i < 20; ++i) EXPECT_EQ(this->freed_by(resolves, 1), 1);
}

TYPED_TEST(destroying_a_loop, frees_what_a_frame_posts_spawns_or_schedules_in_its_destructor) {
    int freed = 0;
    struct last_words {
        TypeParam& runtime;
        int& freed;
        ~last_words() {
            runtime.post([counter = freed_counter(freed)] {});
            runtime.post_from_any_thread([counter = freed_counter(freed)] {});
            runtime.call_soon([counter = std::make_shared<freed_counter>(freed)] {});
            runtime.call_later(1s, [counter = std::make_shared<freed_counter>(freed)] {});
            runtime.spawn([](TypeParam& loop, freed_counter) -> task<void> { co_await loop.yield(); }(
                                                                 runtime, freed_counter(freed)));
        }
    };
    const auto work = [&](TypeParam& runtime, freed_counter) -> task<void> {
        const last_words words{runtime, freed};
        co_await runtime.sleep_for(24h);
    };
    EXPECT_EQ(this->freed_by(work), 1);
    EXPECT_EQ(freed, 5);
}

TYPED_TEST(destroying_a_loop, frees_calls_that_are_still_to_come) {
    int freed = 0;
    {
        TypeParam runtime;
        const auto counted = [&] { return [counter = std::make_shared<freed_counter>(freed)] {}; };
        runtime.call_soon(counted());
        runtime.call_later(1s, counted());
        runtime.call_at(never - 1ns, counted());
        runtime.post_from_any_thread(counted());
    }
    EXPECT_EQ(freed, 4);
}

TYPED_TEST(destroying_a_loop, frees_what_it_never_started) {
    int freed = 0;
    {
        TypeParam runtime;
        const auto never_started = [](freed_counter) -> task<void> { co_return; };
        runtime.spawn(never_started(freed_counter(freed)));
        create_task(runtime, never_started(freed_counter(freed)));
    }
    EXPECT_EQ(freed, 2);
}

// Frames close sockets on which other frames of the same loop wait, in whatever order they are destroyed.
// More than one, because an operation that was queued for a frame that is gone is touched when the next one
// is queued.
TYPED_TEST(destroying_a_loop, frees_frames_that_wait_on_the_sockets_of_other_frames) {
    int freed = 0;
    {
        TypeParam runtime;
        for (int i = 0; i < 4; ++i) {
            auto* shared = new stream_pair<TypeParam>(make_unix_pair(runtime));
            auto reads = [](stream_pair<TypeParam>& streams, freed_counter) -> task<void> {
                co_await read_text(streams.one);
            };
            auto owns = [](TypeParam& loop, std::unique_ptr<stream_pair<TypeParam>>,
                           freed_counter) -> task<void> { co_await loop.sleep_until(never); };
            if (i % 2 == 0) runtime.spawn(reads(*shared, freed_counter(freed)));
            runtime.spawn(
                owns(runtime, std::unique_ptr<stream_pair<TypeParam>>(shared), freed_counter(freed)));
            if (i % 2 == 1) runtime.spawn(reads(*shared, freed_counter(freed)));
        }
        runtime.run(yield_times(runtime, 10));
        EXPECT_EQ(freed, 0);
    }
    EXPECT_EQ(freed, 8);
}

}  // namespace loopbench::loop::test

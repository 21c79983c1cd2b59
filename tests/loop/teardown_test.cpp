// Tests that the destruction of a loop frees every frame. AddressSanitizer detects a frame that is not freed.
// A freed_counter detects that an object in a frame is not destroyed.
#include <filesystem>
#include <iterator>
#include <memory>

#include "loop/coro/event.hpp"
#include "loop/coro/future.hpp"
#include "loop/coro/timeout.hpp"
#include "loop/net/datagram.hpp"
#include "loop/net/resolver.hpp"
#include "loop/net/signals.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {
using namespace std::chrono_literals;
}

class destroying_a_loop : public on_real_time {
protected:
    template <class Work>
    int freed_by(Work work, int turns = 20) {
        int freed = 0;
        {
            const auto owner = make_loop();
            event_loop& loop = *owner;
            loop.spawn(work(loop, freed_counter(freed)));
            loop.run(yield_times(loop, turns));
            EXPECT_EQ(freed, 0);
        }
        return freed;
    }
};
INSTANTIATE_TEST_SUITE_P(, destroying_a_loop, all_designs(), design_name);

TEST_P(destroying_a_loop, a_task_that_sleeps_or_yields_is_freed) {
    const auto sleeps = [](event_loop& loop, freed_counter) -> task<void> { co_await loop.sleep_for(24h); };
    const auto yields = [](event_loop& loop, freed_counter) -> task<void> {
        for (;;) co_await loop.yield();
    };
    EXPECT_EQ(freed_by(sleeps), 1);
    EXPECT_EQ(freed_by(yields), 1);
}

TEST_P(destroying_a_loop, a_task_that_waits_for_a_future_or_an_event_is_freed) {
    const auto wants = [](event_loop& loop, freed_counter) -> task<void> {
        promise<int> unkept(loop);
        co_await unkept.get_future();
    };
    const auto waits = [](event_loop& loop, freed_counter) -> task<void> {
        event silent(loop);
        co_await silent.wait();
    };
    EXPECT_EQ(freed_by(wants), 1);
    EXPECT_EQ(freed_by(waits), 1);
}

TEST_P(destroying_a_loop, a_task_that_waits_for_a_gather_a_race_or_a_time_limit_is_freed) {
    int freed = 0;
    const auto child = [&](event_loop& loop) -> task<void> {
        const freed_counter counter(freed);
        co_await loop.sleep_for(24h);
    };
    const auto gathers = [&](event_loop& loop, freed_counter) -> task<void> {
        std::array children{child(loop), child(loop)};
        co_await loop.gather(std::span(children));
    };
    const auto races = [&](event_loop& loop, freed_counter) -> task<void> {
        std::array children{child(loop), child(loop)};
        co_await loop.race(std::span(children));
    };
    const auto is_limited = [&](event_loop& loop, freed_counter) -> task<void> {
        co_await with_deadline(loop, child(loop), never);
    };
    EXPECT_EQ(freed_by(gathers), 1);
    EXPECT_EQ(freed_by(races), 1);
    EXPECT_EQ(freed_by(is_limited), 1);
    EXPECT_EQ(freed, 5);
}

TEST_P(destroying_a_loop, named_tasks_and_their_waiters_are_freed) {
    int freed = 0;
    const auto sleeps = [&](event_loop& loop) -> task<void> {
        const freed_counter counter(freed);
        co_await loop.sleep_for(24h);
    };
    const auto waits = [&](event_loop& loop, freed_counter) -> task<void> {
        const auto handle = create_task(loop, sleeps(loop));
        co_await handle;
    };
    EXPECT_EQ(freed_by(waits), 1);
    EXPECT_EQ(freed, 1);
}

// The destructor of an object in the parent's frame uses the handle. At that time, the child's frame, which
// contains the state of the handle, might already be destroyed.
TEST_P(destroying_a_loop, a_handle_can_be_used_after_its_task_was_destroyed) {
    struct canceller {
        task_handle<void> child;
        int& done;
        ~canceller() {
            done += child.done();
            child.cancel();
        }
    };
    int done = 0;
    const auto sleeps = [](event_loop& loop) -> task<void> { co_await loop.sleep_for(24h); };
    const auto guards = [&](event_loop& loop, freed_counter) -> task<void> {
        const canceller guard{create_task(loop, sleeps(loop)), done};
        co_await loop.sleep_for(24h);
    };
    EXPECT_EQ(freed_by(guards), 1);
    EXPECT_EQ(done, 1);
}

TEST_P(destroying_a_loop, a_destructor_can_set_an_event_whose_waiting_tasks_have_been_destroyed) {
    struct waker {
        event& awaited;
        ~waker() { awaited.set(); }
    };
    const auto waits = [](event& awaited) -> task<void> { co_await awaited.wait(); };
    const auto wakes = [&](event_loop& loop, freed_counter) -> task<void> {
        event awaited(loop);
        const waker at_the_end{awaited};
        for (int i = 0; i < 3; ++i) loop.spawn(waits(awaited));
        co_await loop.sleep_for(24h);
    };
    EXPECT_EQ(freed_by(wakes), 1);
}

TEST_P(destroying_a_loop, an_event_can_be_destroyed_before_the_tasks_that_wait_for_it) {
    int freed = 0;
    event_loop& loop = keep(make_loop());
    event* awaited = nullptr;
    auto waits = [&](freed_counter) -> task<void> {
        while (awaited == nullptr) co_await loop.yield();
        co_await awaited->wait();
    };
    auto owns = [&]() -> task<void> {
        event silent(loop);
        awaited = &silent;
        co_await loop.sleep_for(24h);
    };
    loop.spawn(waits(freed_counter(freed)));
    loop.spawn(waits(freed_counter(freed)));
    loop.spawn(owns());
    loop.run(yield_times(loop, 10));
    end_loop();
    EXPECT_EQ(freed, 2);
}

TEST_P(destroying_a_loop, a_task_that_reads_or_writes_is_freed) {
    const auto reads = [](event_loop& loop, freed_counter) -> task<void> {
        auto pair = make_unix_pair(loop);
        co_await read_text(pair.one);
    };
    const auto writes = [](event_loop& loop, freed_counter) -> task<void> {
        auto pair = make_unix_pair(loop);
        const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{16} << 20);
        co_await pair.one.write_all(more_than_the_kernel_takes);
    };
    EXPECT_EQ(freed_by(reads), 1);
    EXPECT_EQ(freed_by(writes), 1);
}

TEST_P(destroying_a_loop, a_task_that_accepts_is_freed) {
    const auto accepts = [](event_loop& loop, freed_counter) -> task<void> {
        auto listener = loop.listen();
        co_await listener.accept();
    };
    EXPECT_EQ(freed_by(accepts), 1);
}

TEST_P(destroying_a_loop, an_accepted_connection_that_no_task_has_received_is_closed) {
    const auto count = [] {
        const std::filesystem::directory_iterator open("/proc/self/fd");
        return std::distance(begin(open), end(open));
    };
    const auto before = count();
    {
        const auto owner = make_loop();
        event_loop& loop = *owner;
        auto listener = loop.listen();
        auto accepts = [&]() -> task<void> { co_await listener.accept(); };
        loop.spawn(accepts());
        loop.run(yield_times(loop, 100));
        EXPECT_EQ(loop.io().pending(), 1u);
        const auto where = endpoint::loopback(listener.port());
        const unique_fd client(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
        checked(::connect(client.get(), reinterpret_cast<const sockaddr*>(&where.address()), where.bytes()),
                "connect");
        for (int i = 0; i < 1'000 && loop.io().pending() != 0; ++i) loop.io().wait(do_not_wait);
        EXPECT_TRUE(loop.has_ready()) << "the accepted connection must be queued for the next turn";
    }
    EXPECT_EQ(count(), before);
}

TEST_P(destroying_a_loop, a_task_that_waits_for_a_pipe_a_datagram_or_a_signal_is_freed) {
    const auto reads = [](event_loop& loop, freed_counter) -> task<void> {
        auto pipe = loop.open_pipe();
        co_await read_text(pipe.reader);
    };
    const auto receives = [](event_loop& loop, freed_counter) -> task<void> {
        datagram_socket socket(loop, open_datagram(endpoint::loopback(0)));
        std::array<std::byte, 16> buffer;
        co_await socket.receive_from(buffer);
    };
    const auto listens = [](event_loop& loop, freed_counter) -> task<void> {
        signal_receiver signals(loop, {SIGUSR2});
        co_await signals.next();
    };
    EXPECT_EQ(freed_by(reads), 1);
    EXPECT_EQ(freed_by(receives), 1);
    EXPECT_EQ(freed_by(listens), 1);
}

// The resolver's destructor waits for the resolver's thread. Meanwhile, this thread posts its answer to the
// loop.
TEST_P(destroying_a_loop, a_task_that_resolves_a_name_is_freed) {
    const auto resolves = [](event_loop& loop, freed_counter) -> task<void> {
        resolver names(loop);
        co_await names.resolve("127.0.0.1", "80");
        co_await loop.sleep_for(24h);
    };
    for (int i = 0; i < 20; ++i) EXPECT_EQ(freed_by(resolves, 1), 1);
}

TEST_P(destroying_a_loop, calls_and_tasks_that_the_destructor_of_a_frame_creates_are_freed) {
    int freed = 0;
    struct last_words {
        event_loop& loop;
        int& freed;
        ~last_words() {
            loop.post([counter = freed_counter(freed)] {});
            loop.post_from_any_thread([counter = freed_counter(freed)] {});
            loop.call_soon([counter = std::make_shared<freed_counter>(freed)] {});
            loop.call_later(1s, [counter = std::make_shared<freed_counter>(freed)] {});
            loop.spawn([](event_loop& on, freed_counter) -> task<void> { co_await on.yield(); }(
                                                             loop, freed_counter(freed)));
        }
    };
    const auto work = [&](event_loop& loop, freed_counter) -> task<void> {
        const last_words words{loop, freed};
        co_await loop.sleep_for(24h);
    };
    EXPECT_EQ(freed_by(work), 1);
    EXPECT_EQ(freed, 5);
}

/// A function whose destructor posts the next function of a chain.
class posts_the_next {
public:
    posts_the_next(event_loop& loop, int& freed, int left) : loop_(&loop), freed_(freed), left_(left) {}
    posts_the_next(posts_the_next&& other) noexcept
        : loop_(std::exchange(other.loop_, nullptr)), freed_(other.freed_), left_(other.left_) {}
    posts_the_next& operator=(posts_the_next&&) = delete;
    ~posts_the_next() {
        if (loop_ == nullptr) return;
        ++freed_;
        if (left_ > 0) loop_->post_from_any_thread(posts_the_next(*loop_, freed_, left_ - 1));
    }
    void operator()() const {}

private:
    event_loop* loop_;
    int& freed_;
    int left_;
};

TEST_P(destroying_a_loop, a_chain_of_functions_whose_destructors_post_the_next_one_is_freed) {
    int freed = 0;
    event_loop& loop = keep(make_loop());
    loop.post(posts_the_next(loop, freed, 4));
    end_loop();
    EXPECT_EQ(freed, 5);
}

TEST_P(destroying_a_loop, pending_calls_are_freed) {
    int freed = 0;
    event_loop& loop = keep(make_loop());
    const auto counted = [&] { return [counter = std::make_shared<freed_counter>(freed)] {}; };
    loop.call_soon(counted());
    loop.call_later(1s, counted());
    loop.call_at(never - 1ns, counted());
    loop.post_from_any_thread(counted());
    end_loop();
    EXPECT_EQ(freed, 4);
}

TEST_P(destroying_a_loop, tasks_that_never_started_are_freed) {
    int freed = 0;
    event_loop& loop = keep(make_loop());
    const auto never_started = [](freed_counter) -> task<void> { co_return; };
    loop.spawn(never_started(freed_counter(freed)));
    create_task(loop, never_started(freed_counter(freed)));
    end_loop();
    EXPECT_EQ(freed, 2);
}

// If a queued operation of a destroyed frame remained, only a later push would access it. The test therefore
// needs several pairs. In half of them, the frame that closes the sockets is destroyed before the frame that
// waits for them.
TEST_P(destroying_a_loop, frames_that_wait_on_the_sockets_of_other_frames_are_freed) {
    int freed = 0;
    event_loop& loop = keep(make_loop());
    for (int i = 0; i < 4; ++i) {
        auto* shared = new stream_pair(make_unix_pair(loop));
        auto reads = [](stream_pair& streams, freed_counter) -> task<void> {
            co_await read_text(streams.one);
        };
        auto owns = [](event_loop& on, std::unique_ptr<stream_pair>, freed_counter) -> task<void> {
            co_await on.sleep_until(never);
        };
        if (i % 2 == 0) loop.spawn(reads(*shared, freed_counter(freed)));
        loop.spawn(owns(loop, std::unique_ptr<stream_pair>(shared), freed_counter(freed)));
        if (i % 2 == 1) loop.spawn(reads(*shared, freed_counter(freed)));
    }
    loop.run(yield_times(loop, 10));
    EXPECT_EQ(freed, 0);
    end_loop();
    EXPECT_EQ(freed, 8);
}

}  // namespace loopbench::loop::test

// Tests that two loops in one process do not disturb each other.
#include <array>
#include <string>
#include <thread>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

struct busy_life {
    event_loop& loop;
    char name;
    int rounds;
    int echoed = 0;
    int called = 0;
    int foreign = 0;
    bool done = false;

    task<void> echoes(stream& served) {
        for (;;) {
            const std::string text = co_await read_text(served);
            if (text.empty()) co_return;
            co_await served.write_all(bytes_of(text));
        }
    }

    task<void> lives() {
        auto tcp = co_await make_tcp_pair(loop);
        auto pipe = loop.open_pipe();
        const auto server = create_task(loop, echoes(tcp.other));
        promise<int> answer(loop);
        for (int i = 0; i < rounds; ++i) {
            const std::string message = name + std::to_string(i);
            co_await tcp.one.write_all(bytes_of(message));
            foreign += co_await read_text(tcp.one) != message;
            co_await pipe.writer.write_all(bytes_of(message));
            foreign += co_await read_text(pipe.reader) != message;
            ++echoed;
            loop.post([this] { ++called; });
            loop.call_later(1us, [this] { ++called; });
            loop.call_later(1h, [this] { ++foreign; }).cancel();
            std::array children{yield_times(loop, 1), yield_times(loop, 3)};
            co_await loop.gather(std::span(children));
            co_await loop.sleep_for(10us);
        }
        tcp.one.close();
        co_await server;
        while (called < 2 * rounds) co_await loop.yield();
        done = true;
    }

    void expect_all() const {
        EXPECT_TRUE(done) << name;
        EXPECT_EQ(echoed, rounds) << name;
        EXPECT_EQ(called, 2 * rounds) << name;
        EXPECT_EQ(foreign, 0) << name;
        EXPECT_EQ(loop.io().pending(), 0u) << name;
    }
};

}  // namespace

class two_loops : public on_real_time {
protected:
    std::unique_ptr<event_loop> make_other_loop() { return loop::make_loop(GetParam(), &other_clock); }

    counting_clock other_clock;
};
INSTANTIATE_TEST_SUITE_P(, two_loops, all_designs(), design_name);

TEST_P(two_loops, two_loops_in_two_threads_do_not_disturb_each_other) {
    const auto live = [](event_loop& loop, char name) {
        busy_life life{.loop = loop, .name = name, .rounds = 200};
        loop.run(life.lives());
        life.expect_all();
    };
    std::jthread other([&] {
        const auto owner = make_other_loop();
        live(*owner, 'b');
    });
    const auto owner = make_loop();
    live(*owner, 'a');
}

// Both loops use the thread's frame pool and the process's descriptor numbers.
TEST_P(two_loops, two_loops_whose_turns_alternate_in_one_thread_do_not_disturb_each_other) {
    const auto owner = make_loop();
    const auto other_owner = make_other_loop();
    busy_life one{.loop = *owner, .name = 'a', .rounds = 50};
    busy_life other{.loop = *other_owner, .name = 'b', .rounds = 50};
    one.loop.spawn(one.lives());
    other.loop.spawn(other.lives());
    for (int turns = 0; turns < 100'000 && !(one.done && other.done); ++turns) {
        for (busy_life* const life : {&one, &other}) {
            if (!life->done) life->loop.turn();
        }
    }
    one.expect_all();
    other.expect_all();
}

TEST_P(two_loops, two_loops_that_run_alternately_in_one_thread_keep_their_pending_operations) {
    const auto owner = make_loop();
    const auto other_owner = make_other_loop();
    std::array<event_loop*, 2> loops{&*owner, &*other_owner};
    std::array pairs{make_unix_pair(*loops[0]), make_unix_pair(*loops[1])};
    for (int round = 0; round < 20; ++round) {
        std::array<std::string, 2> received;
        std::vector<task_handle<void>> readers;
        const auto reads = [](stream& from, std::string& text) -> task<void> {
            text = co_await read_text(from);
        };
        for (std::size_t i = 0; i < 2; ++i)
            readers.push_back(create_task(*loops[i], reads(pairs[i].one, received[i])));
        for (event_loop* const loop : loops) loop->run(yield_times(*loop, 3));
        put(pairs[0].other.native_handle(), "first");
        put(pairs[1].other.native_handle(), "second");
        for (std::size_t i = 0; i < 2; ++i) loops[i]->run(until_done(std::vector{readers[i]}));
        EXPECT_EQ(received, (std::array<std::string, 2>{"first", "second"}));
    }
}

TEST_P(two_loops, a_loop_can_run_inside_a_callback_of_another_loop) {
    const auto owner = make_loop();
    const auto inner_owner = make_other_loop();
    busy_life outer{.loop = *owner, .name = 'a', .rounds = 10};
    busy_life inner{.loop = *inner_owner, .name = 'b', .rounds = 10};
    outer.loop.post([&] { inner.loop.run(inner.lives()); });
    outer.loop.run(outer.lives());
    outer.expect_all();
    inner.expect_all();
}

TEST_P(two_loops, destroying_one_loop_does_not_disturb_the_other) {
    const auto owner = make_loop();
    busy_life staying{.loop = *owner, .name = 'a', .rounds = 20};
    staying.loop.spawn(staying.lives());
    for (int i = 0; i < 5; ++i) {
        const auto other_owner = make_other_loop();
        busy_life leaving{.loop = *other_owner, .name = 'b', .rounds = 1'000};
        leaving.loop.spawn(leaving.lives());
        for (int turns = 0; turns < 20; ++turns) {
            if (!staying.done) staying.loop.turn();
            leaving.loop.turn();
        }
        EXPECT_FALSE(leaving.done);
    }
    staying.loop.run([&]() -> task<void> {
        while (!staying.done) co_await staying.loop.sleep_for(100us);
    }());
    staying.expect_all();
}

}  // namespace loopbench::loop::test

// Tests add_reader() and add_writer().
#include <fcntl.h>

#include <optional>
#include <stdexcept>
#include <system_error>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

struct raw_pipe {
    raw_pipe() {
        int ends[2];
        checked(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), "pipe2");
        reader.reset(ends[0]);
        writer.reset(ends[1]);
    }
    void take_byte() const {
        char byte;
        ASSERT_EQ(::read(reader.get(), &byte, 1), 1);
    }
    unique_fd reader;
    unique_fd writer;
};

}  // namespace

class fd_callback : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, fd_callback, all_designs(), design_name);

TEST_P(fd_callback, a_callback_is_called_only_while_its_descriptor_is_ready) {
    event_loop& loop = keep(make_loop());
    const raw_pipe pipe;
    int calls = 0;
    loop.add_reader(pipe.reader.get(), [&] {
        ++calls;
        pipe.take_byte();
    });
    turn_often(loop);
    EXPECT_EQ(calls, 0);
    put(pipe.writer.get(), "abc");
    turn_often(loop);
    EXPECT_EQ(calls, 3);
    EXPECT_TRUE(loop.remove_reader(pipe.reader.get()));
    EXPECT_FALSE(loop.remove_reader(pipe.reader.get()));
}

TEST_P(fd_callback, a_callback_that_has_closed_its_descriptor_is_not_called_again) {
    event_loop& loop = keep(make_loop());
    raw_pipe pipe;
    const int fd = pipe.reader.get();
    put(pipe.writer.get(), "a");
    int calls = 0;
    loop.add_reader(fd, [&] {
        ++calls;
        pipe.reader.reset();
    });
    turn_often(loop);
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(loop.remove_reader(fd));
}

TEST_P(fd_callback, a_ready_descriptor_wakes_a_loop_that_sleeps) {
    event_loop& loop = keep(make_loop());
    const raw_pipe pipe;
    loop.add_reader(pipe.reader.get(), [&] { loop.stop(); });
    loop.add_writer(pipe.writer.get(), [&] {
        put(pipe.writer.get(), "x");
        loop.remove_writer(pipe.writer.get());
    });
    loop.run_forever();
    EXPECT_TRUE(loop.remove_reader(pipe.reader.get()));
}

TEST_P(fd_callback, a_callback_is_called_at_most_once_per_turn_and_lets_other_callbacks_run) {
    event_loop& loop = keep(make_loop());
    const raw_pipe pipe;
    put(pipe.writer.get(), "never read");
    std::vector<char> order;
    loop.add_reader(pipe.reader.get(), [&] { order.push_back('r'); });
    for (int i = 0; i < 300; ++i) {
        loop.io().wait(do_not_wait);
        loop.post([&] { order.push_back('p'); });
        loop.turn();
    }
    const auto calls = std::count(order.begin(), order.end(), 'r');
    EXPECT_GE(calls, 3);
    EXPECT_LE(calls, 300);
    EXPECT_EQ(order.size(), static_cast<std::size_t>(300 + calls));
    EXPECT_TRUE(loop.remove_reader(pipe.reader.get()));
}

TEST_P(fd_callback, a_callback_can_remove_itself) {
    event_loop& loop = keep(make_loop());
    const raw_pipe pipe;
    put(pipe.writer.get(), "abc");
    int calls = 0;
    int freed = 0;
    loop.add_reader(pipe.reader.get(), [&, owned = std::make_shared<freed_counter>(freed)] {
        ++calls;
        EXPECT_TRUE(loop.remove_reader(pipe.reader.get()));
        EXPECT_EQ(freed, 0) << "the captures must live until the function has returned";
    });
    turn_often(loop);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(freed, 1);
}

TEST_P(fd_callback, a_callback_can_replace_itself) {
    event_loop& loop = keep(make_loop());
    const raw_pipe pipe;
    put(pipe.writer.get(), "abc");
    std::vector<int> calls;
    loop.add_reader(pipe.reader.get(), [&] {
        calls.push_back(1);
        loop.add_reader(pipe.reader.get(), [&] {
            calls.push_back(2);
            loop.remove_reader(pipe.reader.get());
        });
    });
    turn_often(loop);
    EXPECT_EQ(calls, (std::vector{1, 2}));
}

TEST_P(fd_callback, a_callback_that_another_callback_has_just_removed_is_not_called) {
    event_loop& loop = keep(make_loop());
    const raw_pipe pipes[2];
    int calls = 0;
    for (const raw_pipe& pipe : pipes) {
        loop.add_reader(pipe.reader.get(), [&] {
            ++calls;
            for (const raw_pipe& each : pipes) loop.remove_reader(each.reader.get());
        });
        put(pipe.writer.get(), "x");
    }
    turn_often(loop);
    EXPECT_EQ(calls, 1);
}

TEST_P(fd_callback, run_throws_the_exception_of_a_callback_and_the_next_run_calls_the_callback_again) {
    event_loop& loop = keep(make_loop());
    const raw_pipe pipe;
    put(pipe.writer.get(), "ab");
    int calls = 0;
    loop.add_reader(pipe.reader.get(), [&] {
        pipe.take_byte();
        if (++calls == 1) throw std::runtime_error("from a reader");
        loop.stop();
    });
    EXPECT_THROW(loop.run_forever(), std::runtime_error);
    loop.run_forever();
    EXPECT_EQ(calls, 2);
    EXPECT_TRUE(loop.remove_reader(pipe.reader.get()));
}

TEST_P(fd_callback, a_callback_that_throws_after_it_was_removed_is_freed) {
    event_loop& loop = keep(make_loop());
    const raw_pipe pipe;
    put(pipe.writer.get(), "a");
    int freed = 0;
    loop.add_reader(pipe.reader.get(), [&, owned = std::make_shared<freed_counter>(freed)] {
        loop.remove_reader(pipe.reader.get());
        throw std::runtime_error("from a reader");
    });
    EXPECT_THROW(loop.run_forever(), std::runtime_error);
    EXPECT_EQ(freed, 1);
}

TEST_P(fd_callback, a_read_callback_and_a_write_callback_of_one_socket_are_independent) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    std::string order;
    loop.add_reader(pair.one.native_handle(), [&] {
        order += 'r';
        loop.stop();
    });
    loop.add_writer(pair.one.native_handle(), [&] {
        order += 'w';
        loop.remove_writer(pair.one.native_handle());
        put(pair.other.native_handle(), "x");
    });
    loop.run_forever();
    EXPECT_EQ(order, "wr");
    EXPECT_TRUE(loop.remove_reader(pair.one.native_handle()));
}

TEST_P(fd_callback, callbacks_of_ready_and_silent_descriptors_are_freed_with_the_loop) {
    int freed = 0;
    const raw_pipe ready;
    const raw_pipe silent;
    put(ready.writer.get(), "x");
    event_loop& loop = keep(make_loop());
    for (const int fd : {ready.reader.get(), silent.reader.get()})
        loop.add_reader(fd, [owned = std::make_shared<freed_counter>(freed)] {});
    turn_often(loop);
    end_loop();
    EXPECT_EQ(freed, 2);
}

// The loop does not notice when the program closes a descriptor that the loop does not own. When a callback
// is removed, the loop must therefore forget all that it knows about the descriptor.
TEST_P(fd_callback, a_callback_on_a_new_file_that_reuses_a_descriptor_number_is_called) {
    event_loop& loop = keep(make_loop());
    std::vector<int> numbers;
    for (int round = 0; round < 3; ++round) {
        const raw_pipe pipe;
        numbers.push_back(pipe.reader.get());
        int calls = 0;
        loop.add_reader(pipe.reader.get(), [&] {
            ++calls;
            pipe.take_byte();
        });
        turn_often(loop);
        put(pipe.writer.get(), "x");
        turn_often(loop);
        EXPECT_EQ(calls, 1) << "round " << round;
        EXPECT_TRUE(loop.remove_reader(pipe.reader.get()));
    }
    EXPECT_EQ(numbers, std::vector(3, numbers[0]))
        << "all pipes must have the same descriptor number, or this test is useless";
}

TEST_P(fd_callback, a_callback_on_an_invalid_descriptor_is_never_called_and_can_be_removed) {
    event_loop& loop = keep(make_loop());
    loop.add_reader(-1, [] { ADD_FAILURE() << "there is nothing to read"; });
    turn_often(loop);
    EXPECT_TRUE(loop.remove_reader(-1));
}

TEST_P(fd_callback, a_removed_callback_on_a_full_pipe_does_not_delay_the_next_file_with_the_same_number) {
    event_loop& loop = keep(make_loop());
    raw_pipe pipe;
    const int number = pipe.writer.get();
    while (::write(number, "full", 4) > 0) {
    }
    loop.add_writer(number, [] { ADD_FAILURE() << "the pipe is full"; });
    turn_often(loop);
    EXPECT_TRUE(loop.remove_writer(number));
    auto listener = loop.listen();
    pipe.writer.reset();
    int reused = -1;
    auto connects = [&]() -> task<void> {
        const auto stream = co_await loop.connect(listener.port());
        reused = stream.native_handle();
    };
    loop.spawn(connects());
    turn_often(loop);
    EXPECT_EQ(reused, number);
}

namespace {

struct refusing_driver final : driver {
    explicit refusing_driver(ready_queue& ready) noexcept : driver(ready) {}
    bool start(io_operation& op) override {
        if (++starts == 2) throw std::system_error(ENOSPC, std::generic_category());
        op.result = 0;
        return true;
    }
    void cancel(io_operation&) noexcept override {}
    void discard(io_operation&) noexcept override {}
    void close(int) noexcept override {}
    void unwatch(int) noexcept override {}
    void wait(time_point) override {}
    void wake() noexcept override {}
    int starts = 0;
};

}  // namespace

TEST(fd_callbacks, a_callback_whose_descriptor_can_no_longer_be_watched_can_be_removed) {
    int freed = 0;
    int calls = 0;
    ready_queue ready;
    refusing_driver io(ready);
    fd_callbacks callbacks(io);
    callbacks.add(0, io_kind::readable, [&, owned = std::make_shared<freed_counter>(freed)] { ++calls; });
    operation& first = ready.pop();
    EXPECT_THROW(first.complete(&first, completion::run), std::system_error);
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(ready.empty());
    EXPECT_EQ(freed, 0);
    EXPECT_TRUE(callbacks.remove(0, io_kind::readable));
    EXPECT_EQ(freed, 1);
}

// Two frames are destroyed and close their sockets. One of the two also removes the callback of its socket.
TEST_P(fd_callback, a_callback_is_freed_when_a_destroyed_frame_closes_its_socket) {
    int freed = 0;
    event_loop& loop = keep(make_loop());
    auto watches = [&](bool takes_back) -> task<void> {
        auto pair = make_unix_pair(loop);
        const int fd = pair.one.native_handle();
        struct scope {
            event_loop& loop;
            stream_pair& streams;
            int watched;
            bool takes_back;
            ~scope() {
                streams.one.close();
                if (takes_back) loop.remove_reader(watched);
            }
        } const closing{loop, pair, fd, takes_back};
        loop.add_reader(fd, [owned = std::make_shared<freed_counter>(freed)] {});
        co_await loop.sleep_until(never);
    };
    loop.spawn(watches(true));
    loop.spawn(watches(false));
    turn_often(loop);
    end_loop();
    EXPECT_EQ(freed, 2);
}

}  // namespace loopbench::loop::test

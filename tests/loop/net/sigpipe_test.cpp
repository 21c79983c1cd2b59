// Tests that writing to a pipe without a reader does not end the process. The process's action for SIGPIPE,
// and the thread's state (blocked or pending), must not change.
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

sigset_t only_sigpipe() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGPIPE);
    return set;
}

struct sigpipe_state {
    void (*handler)(int);
    int flags;
    bool blocked;
    bool pending;

    static sigpipe_state now() {
        struct sigaction action {};
        checked(::sigaction(SIGPIPE, nullptr, &action), "sigaction");
        sigset_t blocked;
        ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        sigset_t pending;
        ::sigpending(&pending);
        return {action.sa_handler, action.sa_flags, ::sigismember(&blocked, SIGPIPE) == 1,
                ::sigismember(&pending, SIGPIPE) == 1};
    }
    bool operator==(const sigpipe_state&) const = default;
};

class blocked_sigpipe {
public:
    blocked_sigpipe() {
        const sigset_t set = only_sigpipe();
        ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    }
    blocked_sigpipe(const blocked_sigpipe&) = delete;
    blocked_sigpipe& operator=(const blocked_sigpipe&) = delete;
    ~blocked_sigpipe() {
        const sigset_t set = only_sigpipe();
        const timespec at_once{};
        while (::sigtimedwait(&set, nullptr, &at_once) > 0) {
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t before_{};
};

task<int> write_to_a_closed_pipe(event_loop& loop) {
    auto pipe = loop.open_pipe();
    pipe.reader.close();
    const io_result written = co_await pipe.writer.write_all(bytes_of("no process reads this"));
    EXPECT_EQ(written.bytes, 0u);
    co_return written.error;
}

task<int> write_until_the_reader_leaves(event_loop& loop) {
    auto pipe = loop.open_pipe();
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{4} << 20);
    loop.post([&] { pipe.reader.close(); });
    const io_result written = co_await pipe.writer.write_all(more_than_the_kernel_takes);
    EXPECT_LT(written.bytes, more_than_the_kernel_takes.size());
    co_return written.error;
}

}  // namespace

class sigpipe : public on_real_time {
protected:
    void SetUp() override {
        on_real_time::SetUp();
        // The test sets the default action explicitly. A shell might ignore SIGPIPE, and a program inherits
        // this from its shell.
        checked(::sigaction(SIGPIPE, nullptr, &before_), "sigaction");
        struct sigaction deadly {};
        deadly.sa_handler = SIG_DFL;
        checked(::sigaction(SIGPIPE, &deadly, nullptr), "sigaction");
    }
    void TearDown() override { ::sigaction(SIGPIPE, &before_, nullptr); }

private:
    struct sigaction before_ {};
};
INSTANTIATE_TEST_SUITE_P(, sigpipe, all_designs(), design_name);

TEST_P(sigpipe, writing_to_a_broken_pipe_returns_an_error_and_restores_the_sigpipe_state) {
    const sigpipe_state before = sigpipe_state::now();
    ASSERT_EQ(before.handler, SIG_DFL);
    {
        const auto owner = make_loop();
        event_loop& loop = *owner;
        EXPECT_EQ(sigpipe_state::now(), before);
        for (int runs = 0; runs < 2; ++runs) {
            EXPECT_EQ(loop.run(write_to_a_closed_pipe(loop)), EPIPE);
            EXPECT_EQ(sigpipe_state::now(), before);
            EXPECT_EQ(loop.run(write_until_the_reader_leaves(loop)), EPIPE);
            EXPECT_EQ(sigpipe_state::now(), before);
        }
        loop.spawn([](event_loop& of) -> task<void> {
            EXPECT_EQ(co_await write_to_a_closed_pipe(of), EPIPE);
        }(loop));
        for (int turns = 0; turns < 100; ++turns) {
            loop.post([] {});
            loop.turn();
            EXPECT_EQ(sigpipe_state::now(), before)
                << "the SIGPIPE state must also be restored between turns";
        }
    }
    EXPECT_EQ(sigpipe_state::now(), before);
}

TEST_P(sigpipe, writing_to_a_broken_pipe_returns_an_error_if_only_single_steps_of_the_loop_run) {
    const auto owner = make_loop();
    event_loop& loop = *owner;
    bool is_done = false;
    loop.spawn([](event_loop& of, bool& done) -> task<void> {
        EXPECT_EQ(co_await write_to_a_closed_pipe(of), EPIPE);
        done = true;
    }(loop, is_done));
    for (int steps = 0; !is_done && steps < 100; ++steps)
        loop.step(64, std::chrono::steady_clock::now() + 1s);
    EXPECT_TRUE(is_done);
}

TEST_P(sigpipe, the_loop_keeps_the_sigpipe_action_that_the_program_sets) {
    const auto owner = make_loop();
    event_loop& loop = *owner;
    struct sigaction own {};
    own.sa_handler = [](int) {};
    checked(::sigaction(SIGPIPE, &own, nullptr), "sigaction");
    EXPECT_EQ(loop.run(write_to_a_closed_pipe(loop)), EPIPE);
    EXPECT_EQ(sigpipe_state::now().handler, own.sa_handler);
}

TEST_P(sigpipe, run_restores_the_sigpipe_state_even_if_run_throws_an_exception) {
    const sigpipe_state before = sigpipe_state::now();
    const auto owner = make_loop();
    event_loop& loop = *owner;
    const auto fails = [](event_loop& of) -> task<void> {
        EXPECT_EQ(co_await write_to_a_closed_pipe(of), EPIPE);
        throw std::runtime_error("after the write");
    };
    EXPECT_THROW(loop.run(fails(loop)), std::runtime_error);
    EXPECT_EQ(sigpipe_state::now(), before);
}

TEST_P(sigpipe, a_sigpipe_that_was_pending_before_a_run_is_still_pending_after_the_run) {
    const blocked_sigpipe blocked;
    const auto owner = make_loop();
    event_loop& loop = *owner;
    ::raise(SIGPIPE);
    const sigpipe_state before = sigpipe_state::now();
    ASSERT_TRUE(before.pending);
    EXPECT_EQ(loop.run(write_to_a_closed_pipe(loop)), EPIPE);
    EXPECT_EQ(sigpipe_state::now(), before);
}

TEST_P(sigpipe, a_blocked_sigpipe_stays_blocked_and_writes_leave_no_sigpipe_pending) {
    const blocked_sigpipe blocked;
    const sigpipe_state before = sigpipe_state::now();
    ASSERT_TRUE(before.blocked);
    ASSERT_FALSE(before.pending);
    const auto owner = make_loop();
    event_loop& loop = *owner;
    EXPECT_EQ(loop.run(write_to_a_closed_pipe(loop)), EPIPE);
    EXPECT_EQ(loop.run(write_to_a_closed_pipe(loop)), EPIPE);
    EXPECT_EQ(sigpipe_state::now(), before);
}

// The loop does not block SIGPIPE between two runs. During this time, io_uring can still execute a pending
// write.
TEST_P(sigpipe, closing_the_peer_between_runs_does_not_kill_the_writer) {
    const sigpipe_state before = sigpipe_state::now();
    const auto owner = make_loop();
    event_loop& loop = *owner;
    auto begun = loop.open_pipe();
    auto full = loop.open_pipe();
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{4} << 20);
    const auto writes = [](pipe_end& to, std::span<const std::byte> bytes) -> task<void> {
        co_await to.write_all(bytes);
    };
    const auto waiting = create_task(loop, writes(full.writer, more_than_the_kernel_takes));
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_for(1ms); };
    loop.run(sleeps());  // this run waits once; io_uring submits nothing before its first wait
    full.reader.close();
    begun.reader.close();
    const auto starting = create_task(loop, writes(begun.writer, bytes_of("no process reads this")));
    loop.run(yield_times(loop, 0));
    full.writer.close();
    begun.writer.close();
    EXPECT_EQ(sigpipe_state::now(), before);
    loop.run(until_done(std::vector{waiting, starting}));
    EXPECT_EQ(sigpipe_state::now(), before);
}

TEST_P(sigpipe, destroying_a_loop_that_writes_does_not_kill_the_process) {
    const sigpipe_state before = sigpipe_state::now();
    auto owner = make_loop();
    event_loop& loop = *owner;
    const auto writes = [](pipe_ends pipe, std::size_t bytes, int turns_until_closed) -> task<void> {
        const std::vector<std::byte> out(bytes);
        event_loop& on = pipe.writer.loop();
        const auto reader = std::make_shared<pipe_end>(std::move(pipe.reader));
        on.post([reader] { reader->close(); });
        co_await yield_times(on, turns_until_closed);
        co_await pipe.writer.write_all(out);
    };
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_for(1ms); };
    loop.run(sleeps());
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4} << 20})
        for (const int turns : {0, 1, 2}) loop.spawn(writes(loop.open_pipe(), bytes, turns));
    loop.run(yield_times(loop, 2));
    owner.reset();
    EXPECT_EQ(sigpipe_state::now(), before);
}

TEST_P(sigpipe, a_loop_that_runs_inside_another_loop_restores_the_sigpipe_state) {
    const sigpipe_state before = sigpipe_state::now();
    const auto owner = make_loop();
    const auto inner_owner = make_loop();
    event_loop& loop = *owner;
    int inner_error = 0;
    loop.post([&] { inner_error = inner_owner->run(write_to_a_closed_pipe(*inner_owner)); });
    EXPECT_EQ(loop.run(write_until_the_reader_leaves(loop)), EPIPE);
    EXPECT_EQ(loop.run(write_to_a_closed_pipe(loop)), EPIPE);
    EXPECT_EQ(inner_error, EPIPE);
    EXPECT_EQ(sigpipe_state::now(), before);
}

}  // namespace loopbench::loop::test

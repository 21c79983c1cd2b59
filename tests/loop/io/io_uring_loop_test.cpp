// Tests the io_uring driver in a real loop.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "loop/designs.hpp"
#include "loop/net/stream.hpp"
#include "tests/loop/io/uring_support.hpp"
#include "tests/loop/manual_clock.hpp"
#include "tests/support/says.hpp"

namespace loopbench::loop {

namespace {

using std::chrono::milliseconds;

class uring_loop_tests : public uring_tests {
protected:
    void SetUp() override {
        uring_tests::SetUp();
        if (!IsSkipped()) owner_ = make_loop("loop-uring", &clock);
    }

    event_loop& loop() const noexcept { return *owner_; }

    test::counting_clock clock;

private:
    std::unique_ptr<event_loop> owner_;
};

std::byte pattern(std::size_t connection, std::size_t position) {
    return static_cast<std::byte>((connection * 131 + position * 7 + position / 251) & 0xff);
}

task<> echo(stream peer) {
    std::array<std::byte, 700> buffer;  // an unusual size, so that reads end at varying positions
    for (;;) {
        const io_result received = co_await peer.read_some(buffer);
        if (received.error != 0 || received.bytes == 0) co_return;
        const io_result sent = co_await peer.write_all(std::span(buffer).first(received.bytes));
        if (sent.error != 0) co_return;
    }
}

task<> serve_echo(event_loop& loop, listener& at, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) loop.spawn(echo(co_await at.accept()));
}

task<> ask(event_loop& loop, std::uint16_t port, std::size_t connection, std::size_t rounds,
           std::size_t& wrong) {
    stream server = co_await loop.connect(port);
    std::vector<std::byte> request(1 + 997 * connection % 5000);
    std::vector<std::byte> reply(request.size());
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < request.size(); ++i) request[i] = pattern(connection, round + i);
        co_await server.write_all(request);
        for (std::size_t filled = 0; filled < reply.size();) {
            const io_result received = co_await server.read_some(std::span(reply).subspan(filled));
            if (received.bytes == 0) co_return;
            filled += received.bytes;
        }
        if (reply == request) --wrong;
    }
}

TEST_F(uring_loop_tests, every_byte_is_echoed_on_two_hundred_connections) {
    constexpr std::size_t connections = 200;
    constexpr std::size_t rounds = 10;
    std::size_t wrong = connections * rounds;
    auto listener = loop().listen();
    loop().spawn(serve_echo(loop(), listener, connections));
    std::vector<task<>> clients;
    for (std::size_t i = 0; i < connections; ++i)
        clients.push_back(ask(loop(), listener.port(), i, rounds, wrong));
    loop().run([](event_loop& on, std::vector<task<>>& all) -> task<> {
        co_await on.gather(std::span<task<>>(all));
    }(loop(), clients));
    EXPECT_EQ(wrong, 0U);
}

constexpr std::size_t large = std::size_t{16} << 20;

task<> send_large(stream& to) {
    std::vector<std::byte> bytes(large);
    for (std::size_t i = 0; i < large; ++i) bytes[i] = pattern(1, i);
    const io_result sent = co_await to.write_all(bytes);
    EXPECT_EQ(sent.bytes, large);
    to.shutdown_write();
}

task<> receive_slowly(event_loop& loop, stream& from, std::size_t& right) {
    std::vector<std::byte> buffer(100'000);
    for (std::size_t position = 0, turn = 0;; ++turn) {
        const std::size_t wanted = turn % 3 == 0 ? 100 : turn % 3 == 1 ? 3000 : buffer.size();
        const io_result received = co_await from.read_some(std::span(buffer).first(wanted));
        if (received.bytes == 0) co_return;
        for (std::size_t i = 0; i < received.bytes; ++i, ++position)
            if (buffer[i] == pattern(1, position)) ++right;
        for (std::size_t i = 0; i < turn % 5; ++i) co_await loop.yield();
    }
}

TEST_F(uring_loop_tests, a_slow_reader_receives_sixteen_mebibytes_completely) {
    std::size_t right = 0;
    auto listening = loop().listen();
    loop().run([](event_loop& on, listener& at, std::size_t& count) -> task<> {
        stream sender = co_await on.connect(at.port());
        stream receiver = co_await at.accept();
        std::array<task<>, 2> both{send_large(sender), receive_slowly(on, receiver, count)};
        co_await on.gather(std::span<task<>>(both));
    }(loop(), listening, right));
    EXPECT_EQ(right, large);
}

task<> wait_for_a_byte(stream from) {
    std::array<std::byte, 100> buffer;
    co_await from.read_some(buffer);
}

task<> wait_for_room(stream to) {
    const std::vector<std::byte> more_than_fits(large);
    co_await to.write_all(more_than_fits);
}

task<> wait_for_a_connection(listener at) {
    co_await at.accept();
}

TEST_F(uring_loop_tests, a_loop_can_be_destroyed_while_many_operations_are_pending) {
    std::vector<unique_fd> peers;
    for (int i = 0; i < 20; ++i) {
        socket_pair reading;
        socket_pair writing;
        loop().spawn(wait_for_a_byte(stream(loop(), std::move(reading.ours))));
        loop().spawn(wait_for_room(stream(loop(), std::move(writing.ours))));
        loop().spawn(wait_for_a_connection(loop().listen()));
        reading.send("half of them have been answered");
        peers.push_back(std::move(reading.theirs));
        peers.push_back(std::move(writing.theirs));
    }
    for (int i = 0; i < 3; ++i) loop().turn();
    EXPECT_NE(loop().io().pending(), 0U);
}

TEST_F(uring_loop_tests, another_thread_wakes_the_loop_a_hundred_thousand_times) {
    constexpr int posts = 100'000;
    std::atomic<int> received = 0;
    std::thread poster([&] {
        for (int i = 0; i < posts; ++i) {
            loop().post_from_any_thread([&, i] {
                received.store(i + 1, std::memory_order_release);
                received.notify_one();
                if (i + 1 == posts) loop().stop();
            });
            // The thread waits after every hundredth post, so that the next post finds the loop asleep or
            // about to sleep.
            if (i % 100 != 0) continue;
            for (int seen; (seen = received.load(std::memory_order_acquire)) <= i;) received.wait(seen);
        }
    });
    loop().run_forever();
    poster.join();
    EXPECT_EQ(received, posts);
}

TEST_F(uring_loop_tests, the_loop_wakes_up_only_for_events_and_ends_no_sleep_early) {
    std::vector<socket_pair> pairs(100);
    for (socket_pair& pair : pairs) loop().spawn(wait_for_a_byte(stream(loop(), std::move(pair.ours))));
    int early = 0;
    const auto sleep_thrice = [&]() -> task<> {
        for (const milliseconds delay : {milliseconds(30), milliseconds(10), milliseconds(20)}) {
            const time_point deadline = loop().now() + delay;
            co_await loop().sleep_until(deadline);
            if (std::chrono::steady_clock::now() < deadline) ++early;
        }
    };
    loop().run(sleep_thrice());
    EXPECT_EQ(early, 0);
    EXPECT_LE(clock.waits(), 8U);
}

TEST_F(uring_loop_tests, a_loop_can_run_in_another_thread_than_the_thread_that_prepared_the_loop) {
    const std::unique_ptr<event_loop> owner = make_loop("loop-uring");
    event_loop& loop = *owner;
    std::vector<socket_pair> pairs(4);
    std::vector<int> called(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i)
        loop.add_reader(pairs[i].ours.get(), [&, i] { ++called[i]; });
    EXPECT_TRUE(loop.remove_reader(pairs[0].ours.get()));
    loop.add_writer(pairs[0].ours.get(), [&] { ++called[0]; });
    EXPECT_TRUE(loop.remove_writer(pairs[0].ours.get()));
    loop.io().close(pairs[1].ours.get());
    { stream never_used(loop, std::move(socket_pair().ours)); }
    std::string received;
    auto reads = [&](stream from) -> task<> {
        std::array<char, 16> text;
        const io_result result = co_await from.read_some(std::as_writable_bytes(std::span(text)));
        received.assign(text.data(), result.bytes);
        loop.remove_reader(pairs[2].ours.get());
        loop.stop();
    };
    socket_pair read_from;
    loop.spawn(reads(stream(loop, std::move(read_from.ours))));
    std::thread([&] {
        for (const socket_pair& pair : pairs) pair.send("x");
        loop.add_reader(pairs[3].ours.get(), [&] {
            if (++called[3] == 1) read_from.send("in that thread");
        });
        loop.run_forever();
        loop.remove_reader(pairs[1].ours.get());
        loop.remove_reader(pairs[3].ours.get());
    }).join();
    EXPECT_EQ(received, "in that thread");
    EXPECT_EQ(called[0], 0);
    EXPECT_EQ(called[1], 0);
    EXPECT_GE(called[2], 1);
    EXPECT_GE(called[3], 1);
}

/// Returns the result of io_uring_refusal() in a child process in which io_uring_setup(2) fails with `error`.
std::string refusal_with(int error) {
    int ends[2];
    checked(::pipe2(ends, O_CLOEXEC), "pipe2");
    const unique_fd reader(ends[0]);
    unique_fd writer(ends[1]);
    const pid_t child = checked(::fork(), "fork");
    if (child == 0) {
        constexpr auto number_at = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
        sock_filter rules[] = {
            {BPF_LD | BPF_W | BPF_ABS, 0, 0, number_at},
            {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, __NR_io_uring_setup},
            {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)},
            {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
        };
        const sock_fprog filter{4, rules};
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) ::_exit(1);
        const std::string text = io_uring_refusal();
        ::_exit(::write(writer.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    writer.reset();
    std::array<char, 1000> text;
    const ssize_t bytes = ::read(reader.get(), text.data(), text.size());
    int status = 0;
    checked(::waitpid(child, &status, 0), "waitpid");
    return status == 0 ? std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)))
                       : "no seccomp filter can be set here";
}

TEST(io_uring_refused, the_error_message_of_a_refused_io_uring_names_the_cause_and_the_remedy) {
    const std::string forbidden = refusal_with(EPERM);
    // The remedy differs if a setting of this machine already disables io_uring.
    const bool by_setting = forbidden.find("io_uring_disabled=0") != std::string::npos;
    EXPECT_SAYS(forbidden, by_setting ? "sysctl -w" : "seccomp=unconfined");
    const std::string missing = refusal_with(ENOSYS);
    EXPECT_SAYS(missing, "CONFIG_IO_URING");
    const std::string invalid = refusal_with(EINVAL);
    for (const char* cause : {"6.1", "32768", "sandbox", "a design on epoll"}) EXPECT_SAYS(invalid, cause);
}

}  // namespace
}  // namespace loopbench::loop

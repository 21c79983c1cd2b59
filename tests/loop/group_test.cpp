// Tests groups of loops (loop/group.hpp). Most tests run with more threads than CPUs, so that threads are
// interrupted at any step.
#include "loop/group.hpp"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/freed_counter.hpp"
#include "tests/loop/descriptor_limit.hpp"
#include "tests/loop/support.hpp"
#include "tests/real_calls.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

/// Another program that wants the same ports. While it exists, it tries to bind a socket to each address
/// immediately before the loops do. Only one such object can exist at a time.
class competing_program {
public:
    competing_program() { running_ = this; }
    competing_program& operator=(competing_program&&) = delete;
    ~competing_program() { running_ = nullptr; }

    int tries() const { return tries_; }

    static void before_bind(const endpoint& wanted) {
        if (running_ != nullptr && wanted.port() != 0) running_->bind(wanted);
    }

private:
    void bind(const endpoint& wanted) {
        ++tries_;
        sockets_.emplace_back(checked(::socket(wanted.family(), SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
        const auto* const address = reinterpret_cast<const sockaddr*>(&wanted.address());
        static_cast<void>(__real_bind(sockets_.back().get(), address, wanted.bytes()));
    }

    static inline competing_program* running_ = nullptr;
    int tries_ = 0;
    std::vector<unique_fd> sockets_;
};

std::ptrdiff_t entries_of(const char* folder) {
    const std::filesystem::directory_iterator found(folder);
    return std::distance(begin(found), end(found));
}
std::ptrdiff_t count_threads() {
    return entries_of("/proc/self/task");
}

/// Expects that the process has this many threads. A thread that was joined stays listed for a moment,
/// because the kernel reports its end a little earlier.
void expect_threads(std::ptrdiff_t expected) {
    const auto deadline = std::chrono::steady_clock::now() + 1min;
    while (count_threads() != expected && std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
    EXPECT_EQ(count_threads(), expected);
}

/// A client that uses blocking calls.
class client {
public:
    explicit client(const endpoint& server)
        : socket_(checked(::socket(server.family(), SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")) {
        connect(server);
    }
    /// Opens a socket that is not yet connected.
    client() : socket_(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")) {}

    void connect(const endpoint& server) const {
        checked(
            ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&server.address()), server.bytes()),
            "connect");
    }
    void send(std::string_view text) const { put(socket_.get(), text); }
    /// Sends the text, unless the connection was reset.
    void try_to_send(std::string_view text) const {
        static_cast<void>(::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL));
    }
    /// Receives what arrives next; an empty string means the end of the stream or a reset.
    std::string receive() const {
        std::array<char, 64> buffer;
        const auto count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
        return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
    }
    std::string echo(std::string_view text) const {
        send(text);
        return receive();
    }

private:
    unique_fd socket_;
};

task<void> echo_all(stream served) {
    for (;;) {
        const std::string text = co_await read_text(served);
        if (text.empty() || (co_await served.write_all(bytes_of(text))).error != 0) co_return;
    }
}

std::size_t index_of(loop_group& group, const event_loop& loop) {
    std::size_t index = 0;
    while (&group[index] != &loop) ++index;
    return index;
}

task<void> sleep_for_ever(event_loop& loop) {
    co_await loop.sleep_for(24h);
}

}  // namespace

class group_of : public testing::TestWithParam<std::tuple<std::string_view, std::size_t>> {
protected:
    static std::size_t loops() { return std::get<1>(GetParam()); }
    static group_options options() { return {.loops = loops(), .design = std::get<0>(GetParam())}; }

    void SetUp() override {
        if (std::get<0>(GetParam()) != "loop-uring") return;
        static const std::string refusal = io_uring_refusal();
        if (!refusal.empty()) GTEST_SKIP() << refusal;
    }
};
std::string group_name(const testing::TestParamInfo<std::tuple<std::string_view, std::size_t>>& param) {
    const auto& [design, loops] = param.param;
    return (design == "loop-uring" ? "uring_" : "epoll_") + std::to_string(loops);
}
INSTANTIATE_TEST_SUITE_P(, group_of,
                         testing::Combine(flagships(), testing::Values<std::size_t>(1, 2, 4, 8, 32)),
                         group_name);

TEST_P(group_of, messages_between_all_loops_arrive_once_and_in_the_order_of_their_sender) {
    const std::size_t n = loops();
    const std::size_t of_each_pair = std::max<std::size_t>(LOOPBENCH_POSTS / 100 / (n * n), 40);
    std::vector<std::vector<std::size_t>> next(n, std::vector<std::size_t>(n));  // [receiver][sender]
    std::vector<std::size_t> out_of_order(n);
    std::atomic<std::size_t> received{0};
    loop_group group(options());
    const auto message = [&](std::size_t from, std::size_t to, std::size_t number) {
        return [&, from, to, number](event_loop&) {
            out_of_order[to] += next[to][from]++ != number;
            if (++received == n * n * of_each_pair) received.notify_all();
        };
    };
    // Each second sender uses batches, and pauses after each batch, so that receivers fall asleep.
    const auto sends = [&](std::size_t from) {
        return [&, from](event_loop& loop) -> task<void> {
            loop_group::batch together(group);
            for (std::size_t i = 0; i < of_each_pair; ++i) {
                for (std::size_t to = 0; to < n; ++to)
                    from % 2 == 0 ? together.post(to, message(from, to, i))
                                  : static_cast<void>(group.post(to, message(from, to, i)));
                if (i % 16 != 15) continue;
                EXPECT_EQ(together.send(), 0u);
                co_await loop.sleep_for(1us);
            }
        };
    };
    std::vector<std::future<void>> senders;
    for (std::size_t from = 0; from < n; ++from) senders.push_back(group.run(from, sends(from)));
    for (std::future<void>& each : senders) each.get();
    for (std::size_t seen = received; seen < n * n * of_each_pair; seen = received) received.wait(seen);
    EXPECT_TRUE(group.finish());
    EXPECT_EQ(received, n * n * of_each_pair);
    EXPECT_EQ(std::accumulate(out_of_order.begin(), out_of_order.end(), std::size_t{0}), 0u);
}

TEST_P(group_of, each_loop_has_its_own_thread_and_runs_its_tasks_there) {
    loop_group group(options());
    ASSERT_EQ(group.size(), loops());
    std::set<std::thread::id> threads{std::this_thread::get_id()};
    for (std::size_t i = 0; i < loops(); ++i) {
        const auto where = [expected = &group[i]](event_loop& loop) -> task<std::thread::id> {
            EXPECT_EQ(&loop, expected);
            const auto before = std::this_thread::get_id();
            co_await loop.sleep_for(1us);
            EXPECT_EQ(std::this_thread::get_id(), before);
            co_return before;
        };
        threads.insert(group.run(i, where).get());
    }
    EXPECT_EQ(threads.size(), loops() + 1);
}

TEST_P(group_of, posts_to_any_loop_reach_the_loops_in_turn) {
    std::vector<int> calls(loops());
    loop_group group(options());
    for (std::size_t i = 0; i < 10 * loops(); ++i) {
        EXPECT_TRUE(group.post_to_any([&](event_loop& loop) { ++calls[index_of(group, loop)]; }));
    }
    EXPECT_TRUE(group.finish());
    EXPECT_EQ(calls, std::vector<int>(loops(), 10));
}

TEST_P(group_of, a_handed_over_connection_is_served_by_the_loops_in_turn) {
    std::vector<int> served(loops());
    loop_group group(options());
    const endpoint server =
        group.listen(endpoint::loopback(0), distribution::hand_over, [&](stream connection) -> task<void> {
            ++served[index_of(group, connection.loop())];
            co_await echo_all(std::move(connection));
        });
    std::vector<client> clients;
    for (std::size_t i = 0; i < 3 * loops(); ++i) {
        clients.emplace_back(server);
        EXPECT_EQ(clients.back().echo("hello"), "hello");
    }
    for (const client& each : clients) EXPECT_EQ(each.echo("again"), "again");
    clients.clear();
    EXPECT_TRUE(group.finish());
    EXPECT_EQ(served, std::vector<int>(loops(), 3));
}

TEST_P(group_of, the_kernel_distributes_connections_to_listeners_that_share_a_port) {
    std::vector<int> served(loops());
    loop_group group(options());
    const endpoint server =
        group.listen(endpoint::loopback(0), distribution::reuse_port, [&](stream connection) -> task<void> {
            ++served[index_of(group, connection.loop())];
            co_await echo_all(std::move(connection));
        });
    constexpr int connections = 64;
    for (int i = 0; i < connections; ++i) EXPECT_EQ(client(server).echo("hello"), "hello");
    EXPECT_TRUE(group.finish());
    EXPECT_EQ(std::accumulate(served.begin(), served.end(), 0), connections);
    const auto busy = std::ranges::count_if(served, [](int count) { return count > 0; });
    // With two loops, a hash that is uniform gives all connections to one loop once in 2^63 runs.
    EXPECT_GE(busy, loops() == 1 ? 1 : 2);
}

TEST_P(group_of, stopping_destroys_pending_tasks_timers_and_connections_in_the_threads_of_their_loops) {
    struct witness {
        std::thread::id made_in = std::this_thread::get_id();
        std::atomic<int>* count;
        explicit witness(std::atomic<int>& counted) : count(&counted) { ++*count; }
        witness(const witness&) = delete;
        ~witness() {
            EXPECT_EQ(std::this_thread::get_id(), made_in);
            --*count;
        }
    };
    std::atomic<int> alive{0};
    std::vector<std::future<void>> tasks;
    {
        loop_group group(options());
        const endpoint server = group.listen(endpoint::loopback(0), distribution::hand_over,
                                             [&](stream connection) -> task<void> {
                                                 const witness here(alive);
                                                 co_await echo_all(std::move(connection));
                                             });
        for (std::size_t i = 0; i < loops(); ++i) {
            tasks.push_back(group.run(i, [&](event_loop& loop) -> task<void> {
                const witness here(alive);
                co_await sleep_for_ever(loop);
            }));
            group.post(i, [&](event_loop& loop) {
                loop.call_later(24h, [kept = std::make_shared<witness>(alive)] {});
            });
        }
        std::vector<client> clients;
        for (std::size_t i = 0; i < loops(); ++i) {
            clients.emplace_back(server);
            EXPECT_EQ(clients.back().echo("x"), "x");
        }
        EXPECT_EQ(alive, static_cast<int>(3 * loops()));
        group.stop();
        group.wait();
        EXPECT_EQ(alive, 0);
        for (const client& each : clients) EXPECT_EQ(each.receive(), "");
    }
    for (std::future<void>& each : tasks) EXPECT_THROW(each.get(), task_cancelled);
}

class a_loop_group : public testing::Test {
protected:
    static loop_group::serve_function echoes() {
        return [](stream connection) { return echo_all(std::move(connection)); };
    }
};

TEST_F(a_loop_group, a_future_receives_the_value_or_the_exception_of_a_task) {
    loop_group group({.loops = 2});
    EXPECT_EQ(*group
                   .run(1,
                        [](event_loop& loop) -> task<std::unique_ptr<int>> {
                            co_await loop.yield();
                            co_return std::make_unique<int>(7);
                        })
                   .get(),
              7);
    auto fails = group.run(1, [](event_loop& loop) -> task<int> {
        co_await loop.yield();
        throw std::invalid_argument("refused");
    });
    EXPECT_THROW(fails.get(), std::invalid_argument);
    auto fails_at_once =
        group.run(0, [](event_loop&) -> task<void> { throw std::invalid_argument("refused"); });
    EXPECT_THROW(fails_at_once.get(), std::invalid_argument);
    EXPECT_TRUE(group.finish()) << "a failed task of run() must not stop the group";
}

TEST_F(a_loop_group, the_captures_of_a_coroutine_exist_until_its_task_has_ended) {
    loop_group group({.loops = 2});
    std::string text = "a text that is too long for the small buffer of a string";
    EXPECT_EQ(group
                  .run(1,
                       [text](event_loop& loop) -> task<std::string> {
                           for (int i = 0; i < 10; ++i) co_await loop.yield();
                           co_return text;
                       })
                  .get(),
              text);
}

TEST_F(a_loop_group, functions_and_tasks_are_refused_after_the_stop) {
    loop_group group({.loops = 2});
    int freed = 0;
    group.stop();
    group.wait();
    EXPECT_FALSE(group.post(1, [counter = freed_counter(freed)](event_loop&) { FAIL(); }));
    EXPECT_FALSE(group.post_to_any([counter = freed_counter(freed)](event_loop&) { FAIL(); }));
    EXPECT_EQ(freed, 2);
    loop_group::batch together(group);
    for (int i = 0; i < 6; ++i) together.post(0, [counter = freed_counter(freed)](event_loop&) { FAIL(); });
    EXPECT_EQ(freed, 2);
    EXPECT_EQ(together.send(), 6u);
    EXPECT_EQ(freed, 8);
    EXPECT_EQ(together.send(), 0u);
    EXPECT_THROW(group.run(0, &sleep_for_ever).get(), task_cancelled);
    EXPECT_THROW(group.listen(endpoint::loopback(0), distribution::hand_over, echoes()), std::runtime_error);
    EXPECT_TRUE(group.finish()) << "a refused task must not be counted";
}

TEST_F(a_loop_group, functions_that_were_posted_before_the_stop_run) {
    constexpr int count = 10'000;
    int calls = 0;
    loop_group group({.loops = 2});
    for (int i = 0; i < count; ++i) group.post(1, [&](event_loop&) { ++calls; });
    group.stop();
    group.wait();
    EXPECT_EQ(calls, count);
}

TEST_F(a_loop_group, a_batch_sends_nothing_before_send_or_its_destruction) {
    std::atomic<int> calls{0};
    loop_group group({.loops = 2});
    const auto ask = [&] { return group.run(1, [&](event_loop&) -> task<int> { co_return calls; }).get(); };
    {
        loop_group::batch together(group);
        for (int i = 0; i < 5; ++i) together.post(1, [&](event_loop&) { ++calls; });
        EXPECT_EQ(ask(), 0);
        EXPECT_EQ(together.send(), 0u);
        EXPECT_EQ(ask(), 5);
        together.post(1, [&](event_loop&) { ++calls; });
    }
    EXPECT_EQ(ask(), 6);
}

TEST_F(a_loop_group, the_first_exception_of_a_loop_stops_all_loops_and_reaches_the_waiting_thread) {
    for (const bool in_task : {false, true}) {
        loop_group group({.loops = 4});
        auto sleeper = group.run(3, &sleep_for_ever);
        group.post(2, [in_task](event_loop& loop) {
            const auto fails = [](event_loop& in) -> task<void> {
                co_await in.sleep_for(1us);
                throw std::invalid_argument("refused");
            };
            if (!in_task) throw std::invalid_argument("refused");
            loop.spawn(fails(loop));
        });
        EXPECT_THROW(group.wait(), std::invalid_argument);
        EXPECT_THROW(sleeper.get(), task_cancelled);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(group.post(i, [](event_loop&) {}));
        group.wait();
    }
}

TEST_F(a_loop_group, finish_throws_the_exception_of_a_connection) {
    for (const auto how : {distribution::hand_over, distribution::reuse_port}) {
        loop_group group({.loops = 4});
        auto sleeper = group.run(3, &sleep_for_ever);
        const endpoint server = group.listen(endpoint::loopback(0), how, [](stream served) -> task<void> {
            co_await served.write_all(bytes_of(co_await read_text(served)));
            co_await read_text(served);
            throw std::invalid_argument("refused");
        });
        const client asks(server);
        EXPECT_EQ(asks.echo("x"), "x");
        asks.send("y");
        EXPECT_THROW(group.finish(), std::invalid_argument);
        EXPECT_EQ(asks.receive(), "");
        EXPECT_THROW(sleeper.get(), task_cancelled);
    }
}

TEST_F(a_loop_group, finish_waits_for_open_connections_but_accepts_no_new_ones) {
    for (const auto how : {distribution::hand_over, distribution::reuse_port}) {
        loop_group group({.loops = 4});
        const endpoint server = group.listen(endpoint::loopback(0), how, echoes());
        std::optional<client> early(server);
        EXPECT_EQ(early->echo("1"), "1");
        auto finished = std::async(std::launch::async, [&] { return group.finish(); });
        // As soon as the listeners are closed, the kernel refuses connections.
        const auto is_refused = [&] {
            try {
                const client late(server);
                late.try_to_send("?");
                return late.receive().empty();
            } catch (const std::system_error&) {
                return true;
            }
        };
        while (!is_refused()) std::this_thread::yield();
        EXPECT_EQ(early->echo("2"), "2");
        early.reset();
        EXPECT_TRUE(finished.get());
    }
}

TEST_F(a_loop_group, finish_ends_remaining_tasks_when_its_patience_has_passed) {
    loop_group group({.loops = 2});
    const endpoint server = group.listen(endpoint::loopback(0), distribution::hand_over, echoes());
    const client stays(server);
    EXPECT_EQ(stays.echo("x"), "x");
    auto sleeper = group.run(1, &sleep_for_ever);
    EXPECT_FALSE(group.finish(1ms));
    EXPECT_EQ(stays.receive(), "");
    EXPECT_THROW(sleeper.get(), task_cancelled);
}

TEST_F(a_loop_group, finish_returns_false_if_another_thread_stops_the_group_and_destroys_a_task) {
    loop_group group({.loops = 2});
    auto sleeper = group.run(0, &sleep_for_ever);
    auto finished = std::async(std::launch::async, [&] { return group.finish(); });
    group.stop();
    EXPECT_FALSE(finished.get());
    EXPECT_THROW(sleeper.get(), task_cancelled);
}

TEST_F(a_loop_group, finish_returns_false_if_a_connection_stops_the_group_and_another_one_is_open) {
    loop_group group({.loops = 2});
    const endpoint server =
        group.listen(endpoint::loopback(0), distribution::hand_over, [&](stream connection) -> task<void> {
            while (co_await read_text(connection) != "stop") co_await connection.write_all(bytes_of("."));
            group.stop();
        });
    const client stays(server), stops(server);
    EXPECT_EQ(stays.echo("x"), ".");
    EXPECT_EQ(stops.echo("x"), ".");
    auto finished = std::async(std::launch::async, [&] { return group.finish(); });
    stops.send("stop");
    EXPECT_FALSE(finished.get());
}

TEST_F(a_loop_group, finish_returns_true_if_all_tasks_have_ended_before_another_thread_stops_the_group) {
    loop_group group({.loops = 2});
    const endpoint server =
        group.listen(endpoint::loopback(0), distribution::hand_over, [](stream served) -> task<void> {
            if (co_await read_text(served) == "cancel") throw task_cancelled();
        });
    for (const char* text : {"end", "cancel"}) EXPECT_EQ(client(server).echo(text), "");
    group.run(0, [](event_loop& loop) -> task<void> { co_await loop.yield(); }).get();
    auto fails = group.run(1, [](event_loop&) -> task<int> { throw std::invalid_argument("refused"); });
    EXPECT_THROW(fails.get(), std::invalid_argument);
    auto finished = std::async(std::launch::async, [&] { return group.finish(); });
    group.stop();
    EXPECT_TRUE(finished.get());
}

TEST_F(a_loop_group, a_thread_of_the_group_can_stop_the_group_but_not_wait_for_it) {
    loop_group group({.loops = 2});
    auto tries = group.run(1, [&](event_loop&) -> task<void> {
        EXPECT_THROW(group.wait(), std::logic_error);
        EXPECT_THROW(group.finish(), std::logic_error);
        co_return;
    });
    tries.get();
    group.post(1, [&](event_loop&) { group.stop(); });
    group.wait();
}

TEST_F(a_loop_group, a_loop_that_does_not_exist_is_refused_by_its_number) {
    loop_group group({.loops = 2});
    EXPECT_THROW(group[2], std::out_of_range);
    EXPECT_THROW(group.post(2, [](event_loop&) {}), std::out_of_range);
    EXPECT_THROW(group.run(2, &sleep_for_ever), std::out_of_range);
    EXPECT_THROW(loop_group::batch(group).post(2, [](event_loop&) {}), std::out_of_range);
    EXPECT_TRUE(group.finish());
}

TEST_F(a_loop_group, a_port_that_is_in_use_is_refused_in_both_modes) {
    loop_group group({.loops = 2});
    loop_group other({.loops = 2});
    for (const auto how : {distribution::hand_over, distribution::reuse_port}) {
        for (const auto used : {distribution::hand_over, distribution::reuse_port}) {
            const endpoint server = other.listen(endpoint::loopback(0), used, echoes());
            try {
                group.listen(server, how, echoes());
                ADD_FAILURE() << "the two groups share a port";
            } catch (const std::system_error& error) {
                EXPECT_EQ(error.code().value(), EADDRINUSE);
                EXPECT_NE(std::string(error.what()).find(server.to_string()), std::string::npos)
                    << error.what();
            }
            EXPECT_EQ(client(server).echo("x"), "x");
        }
    }
}

TEST_F(a_loop_group, another_program_cannot_take_the_port_that_the_kernel_has_chosen) {
    loop_group group({.loops = 3});
    competing_program other;
    const endpoint server = group.listen(endpoint::loopback(0), distribution::reuse_port, echoes());
    EXPECT_GT(other.tries(), 0);
    EXPECT_EQ(client(server).echo("x"), "x");
}

TEST_F(a_loop_group, a_unix_socket_is_handed_over_but_cannot_be_shared) {
    loop_group group({.loops = 2});
    const endpoint name =
        endpoint::unix_path(std::string(1, '\0') + "group-test-" + std::to_string(::getpid()));
    EXPECT_THROW(group.listen(name, distribution::reuse_port, echoes()), std::invalid_argument);
    const endpoint server = group.listen(name, distribution::hand_over, echoes());
    for (int i = 0; i < 2; ++i) EXPECT_EQ(client(server).echo("x"), "x");
    EXPECT_TRUE(group.finish());
}

TEST_F(a_loop_group, a_server_without_free_descriptors_accepts_later) {
    for (const auto how : {distribution::hand_over, distribution::reuse_port}) {
        loop_group group({.loops = 2});
        const endpoint server = group.listen(endpoint::loopback(0), how, echoes());
        const client early(server);
        EXPECT_EQ(early.echo("1"), "1");
        const client late;
        const descriptor_limit limit;
        limit.use_up();
        late.connect(server);
        late.send("2");
        EXPECT_EQ(early.echo("3"), "3");
        limit.restore();
        EXPECT_EQ(late.receive(), "2");
    }
}

TEST_F(a_loop_group, threads_run_on_the_cpus_to_which_they_are_pinned) {
    cpu_set_t allowed;
    ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu)
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpus.push_back(cpu);
    std::ranges::reverse(cpus);
    loop_group group({.loops = 4, .cpus = cpus});
    for (std::size_t i = 0; i < 4; ++i) {
        const auto found = group
                               .run(i,
                                    [](event_loop&) -> task<std::pair<int, int>> {
                                        cpu_set_t own;
                                        EXPECT_EQ(::sched_getaffinity(0, sizeof own, &own), 0);
                                        co_return std::pair(CPU_COUNT(&own), ::sched_getcpu());
                                    })
                               .get();
        EXPECT_EQ(found, std::pair(1, cpus[i % cpus.size()]));
    }
}

TEST_F(a_loop_group, a_cpu_that_does_not_exist_is_refused_by_its_number_and_no_thread_remains) {
    const auto threads = count_threads();
    for (const int cpu : {CPU_SETSIZE - 1, CPU_SETSIZE, -1}) {
        try {
            const loop_group group({.loops = 3, .cpus = {0, cpu}});
            ADD_FAILURE() << "pinned to CPU " << cpu;
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code().value(), EINVAL);
            EXPECT_NE(std::string(error.what()).find("loop 1 to CPU " + std::to_string(cpu)),
                      std::string::npos)
                << error.what();
        }
    }
    expect_threads(threads);
}

TEST_F(a_loop_group, a_group_whose_loops_cannot_be_created_leaves_neither_threads_nor_descriptors) {
    const auto threads = count_threads();
    const auto descriptors = entries_of("/proc/self/fd");
    EXPECT_THROW(loop_group({.loops = 3, .design = "loop-nothing"}), std::invalid_argument);
    {
        const descriptor_limit limit;
        ASSERT_TRUE(limit.set(static_cast<rlim_t>(descriptors) + 4));  // enough for one loop
        EXPECT_THROW(loop_group({.loops = 8}), std::system_error);
    }
    expect_threads(threads);
    EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
}

TEST_F(a_loop_group, a_group_without_a_number_has_a_loop_for_each_cpu_that_its_thread_may_use) {
    cpu_set_t allowed;
    ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
    EXPECT_EQ(loop_group().size(), static_cast<std::size_t>(CPU_COUNT(&allowed)));
    const std::jthread on_one_cpu([cpu = ::sched_getcpu()] {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(cpu), &one);
        ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
        EXPECT_EQ(loop_group().size(), 1u);
    });
}

// Threads outside the group post while the group stops, fails, or is waited for.
TEST_F(a_loop_group, each_function_posted_during_the_stop_is_run_destroyed_or_refused) {
    using counter = basic_freed_counter<std::atomic<int>>;
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> freed{0};
        std::atomic<int> sent{0};
        {
            loop_group group({.loops = 4});
            std::vector<std::jthread> senders;
            for (int sender = 0; sender < 3; ++sender) {
                senders.emplace_back([&] {
                    bool is_accepted = true;
                    for (int i = 0; i < 2'000 && is_accepted; ++i) {
                        ++sent;
                        is_accepted = group.post_to_any([&, held = counter(freed)](event_loop&) mutable {
                            ++sent;
                            group.post_to_any(
                                [passed = std::move(held), own = counter(freed)](event_loop&) {});
                        });
                        std::this_thread::yield();
                    }
                });
            }
            while (sent < round) std::this_thread::yield();
            if (round % 2 == 0) {
                group.stop();
                group.wait();
            } else {
                group.post(1, [](event_loop&) { throw std::invalid_argument("refused"); });
                EXPECT_THROW(group.wait(), std::invalid_argument);
            }
        }
        EXPECT_EQ(freed, sent);
    }
}

}  // namespace loopbench::loop::test

extern "C" int __wrap_bind(int fd, const sockaddr* address, socklen_t bytes) {
    loopbench::loop::test::competing_program::before_bind({address, bytes});
    return __real_bind(fd, address, bytes);
}

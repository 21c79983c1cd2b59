#include "tests/faults/scenarios.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "loop/coro/timeout.hpp"
#include "loop/group.hpp"
#include "loop/io/drivers.hpp"
#include "loop/io/uring/ring.hpp"
#include "loop/net/datagram.hpp"
#include "loop/net/pipe.hpp"
#include "loop/net/read.hpp"
#include "loop/net/resolver.hpp"
#include "loop/net/signals.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::loop::faults {

task<void> ledger::operation(task<void> work) {
    struct ending {
        explicit ending(int& count) noexcept : ended(count) {}
        ending(const ending&) = delete;
        ending& operator=(const ending&) = delete;
        ~ending() { ++ended; }
        int& ended;
    };
    ++started_;
    const ending at_the_end(ended_);
    try {
        co_await std::move(work);
    } catch (...) {
        note(std::current_exception());
        throw;
    }
}

void ledger::note(const std::exception_ptr& error) noexcept {
    try {
        std::rethrow_exception(error);
    } catch (const task_cancelled&) {
    } catch (...) {
        if (count_ < errors_.size()) errors_[count_++] = error;
    }
}

void ledger::forget_errors() noexcept {
    for (std::exception_ptr& each : errors_) each = nullptr;
    count_ = 0;
}

namespace {

using namespace std::chrono_literals;

std::size_t count_of(const io_result& result, int expected_error = 0) {
    if (result.error != 0 && result.error != expected_error)
        throw std::system_error(result.error_code(), "an operation");
    return result.bytes;
}

void ended_early() {
    throw std::runtime_error("the stream has ended early");
}

/// Returns 600,000 bytes. This is more than a socket or a pipe accepts in one write.
std::span<const std::byte> much() {
    static const auto bytes = [] {
        std::array<std::byte, 600'000> made{};
        for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::byte>(i % 251);
        return made;
    }();
    return bytes;
}

template <std::size_t Count>
auto all_of(event_loop& loop, std::array<task<void>, Count>& children) {
    return loop.gather(std::span(children), join_mode::cancel_on_exception);
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

template <class Stream>
task<void> expect_text(Stream& stream, std::string_view text, ledger& seen) {
    std::array<std::byte, 64> place;
    buffered_reader<Stream> reader(stream);
    const auto buffer = std::span(place).first(text.size());
    const io_result result = co_await reader.read_exactly(buffer);
    count_of(result);
    if (result.bytes < text.size()) ended_early();
    seen.expect(std::memcmp(buffer.data(), text.data(), text.size()) == 0,
                "the bytes read differ from the bytes written");
}

template <class Stream>
task<void> read_much(event_loop& loop, Stream& stream, ledger& seen) {
    static std::array<std::byte, 50'000> place;
    std::size_t received = 0;
    while (const std::size_t count = count_of(co_await stream.read_some(place))) {
        seen.expect(received + count <= much().size() &&
                        std::memcmp(place.data(), much().data() + received, count) == 0,
                    "the bytes read differ from the bytes written");
        received += count;
        for (int i = 0; i < 3; ++i) co_await loop.yield();
    }
    if (received != much().size()) ended_early();
}

task<void> echo_back(stream connected) {
    std::array<std::byte, 256> buffer;
    while (const std::size_t count = count_of(co_await connected.read_some(buffer)))
        count_of(co_await connected.write_all(std::span(buffer).first(count)));
}

task<void> serve(event_loop& loop, listener& listening, int clients, ledger& seen) {
    for (int i = 0; i < 3; ++i) co_await loop.yield();
    std::array<task<void>, 4> echoes;
    for (int i = 0; i < clients; ++i)
        echoes[static_cast<std::size_t>(i)] = seen.operation(echo_back(co_await listening.accept()));
    co_await loop.gather(std::span(echoes).first(static_cast<std::size_t>(clients)),
                         join_mode::cancel_on_exception);
}

task<void> ask(event_loop& loop, endpoint where, ledger& seen) {
    stream connected = co_await loop.connect(where);
    seen.expect(remote_endpoint(connected.native_handle()).family() == where.family(),
                "the peer has a different address family");
    for (const std::string_view text : {"hello", "and again"}) {
        count_of(co_await connected.write_all(bytes_of(text)));
        co_await expect_text(connected, text, seen);
    }
    connected.shutdown_write();
    std::array<std::byte, 16> more;
    seen.expect(count_of(co_await connected.read_some(more)) == 0, "more bytes were read than written");
}

task<void> echo_over_tcp(event_loop& loop, ledger& seen) {
    listener listening = loop.listen();
    const auto where = endpoint::loopback(listening.port());
    std::array all{seen.operation(ask(loop, where, seen)), seen.operation(ask(loop, where, seen)),
                   seen.operation(ask(loop, where, seen)), seen.operation(serve(loop, listening, 3, seen))};
    co_await all_of(loop, all);
}

task<void> connections_one_by_one(event_loop& loop, ledger& seen) {
    listener listening = loop.listen();
    const auto where = endpoint::loopback(listening.port());
    auto accept = [&]() -> task<void> { co_await listening.accept(); };
    auto connect = [&]() -> task<void> { co_await loop.connect(where); };
    for (int i = 0; i < 10; ++i) {
        std::array both{seen.operation(accept()), seen.operation(connect())};
        co_await all_of(loop, both);
    }
}

endpoint abstract_name() {
    static std::atomic<unsigned> last{0};
    std::array<char, 64> name{};
    const int length = std::snprintf(name.data() + 1, name.size() - 1, "loopbench faults %d %u", ::getpid(),
                                     last.fetch_add(1));
    return endpoint::unix_path(std::string_view(name.data(), static_cast<std::size_t>(length) + 1));
}

task<void> echo_over_unix(event_loop& loop, ledger& seen) {
    const auto where = abstract_name();
    listener listening = loop.listen(where);
    std::array all{seen.operation(ask(loop, where, seen)), seen.operation(serve(loop, listening, 1, seen))};
    co_await all_of(loop, all);
}

struct stream_pair {
    stream one;
    stream other;
};
stream_pair unix_pair(event_loop& loop) {
    int ends[2];
    checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
    return {stream(loop, unique_fd(ends[0])), stream(loop, unique_fd(ends[1]))};
}

/// Fills the descriptor's buffer with the beginning of much(). Returns the rest, so that a write of the rest
/// has to wait immediately.
std::span<const std::byte> fill(int fd) {
    auto left = much();
    for (ssize_t count; (count = past_the_watch::write(fd, left.data(), left.size())) > 0;)
        left = left.subspan(static_cast<std::size_t>(count));
    return left;
}

task<void> write_much(stream& to) {
    count_of(co_await to.write_all(fill(to.native_handle())));
    to.shutdown_write();
}

task<void> slow_reader(event_loop& loop, ledger& seen) {
    auto pair = unix_pair(loop);
    std::array all{seen.operation(write_much(pair.one)), seen.operation(read_much(loop, pair.other, seen))};
    co_await all_of(loop, all);
}

/// Sends a descriptor in a message (SCM_RIGHTS), because a read stops after the bytes that carry a
/// descriptor, although the socket contains more bytes.
task<void> descriptor_in_a_message(event_loop& loop, ledger& seen) {
    auto pair = unix_pair(loop);
    auto write = [](stream& to) -> task<void> {
        char text = '1';
        iovec part{&text, 1};
        alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        const int carried = to.native_handle();
        std::memcpy(CMSG_DATA(header), &carried, sizeof carried);
        checked(static_cast<int>(::sendmsg(to.native_handle(), &message, MSG_NOSIGNAL)), "sendmsg");
        count_of(co_await to.write_all(bytes_of("234")));
    };
    std::array all{seen.operation(expect_text(pair.other, "1234", seen)), seen.operation(write(pair.one))};
    co_await all_of(loop, all);
}

task<void> write_much_to_pipe(pipe_end& to) {
    count_of(co_await to.write_all(fill(to.native_handle())));
    to.close();
}

task<void> pipes(event_loop& loop, ledger& seen) {
    pipe_ends ends = loop.open_pipe();
    std::array all{seen.operation(write_much_to_pipe(ends.writer)),
                   seen.operation(read_much(loop, ends.reader, seen))};
    co_await all_of(loop, all);
    pipe_ends broken = loop.open_pipe();
    broken.reader.close();
    const io_result result = co_await broken.writer.write_all(bytes_of("no process reads this"));
    count_of(result, EPIPE);
    seen.expect(result.error == EPIPE, "a write to a pipe without a reader did not fail with EPIPE");
}

/// A read or a write of a file, at the given position, or without one, at the position of the open file.
class file_awaiter : public io_awaiter {
public:
    file_awaiter(event_loop& loop, io_kind what, int file, std::span<const iovec> parts,
                 std::uint64_t where = current_position) noexcept
        : io_awaiter(loop.io(), what, file,
                     {reinterpret_cast<const std::byte*>(parts.data()), parts.size()}) {
        position = where;
    }
};

task<std::size_t> read_file(event_loop& loop, int file, std::span<const iovec> parts,
                            std::uint64_t where = current_position) {
    co_return count_of(io_result::of(co_await file_awaiter(loop, io_kind::read_file, file, parts, where)));
}
task<std::size_t> write_file(event_loop& loop, int file, std::span<const iovec> parts,
                             std::uint64_t where = current_position) {
    co_return count_of(io_result::of(co_await file_awaiter(loop, io_kind::write_file, file, parts, where)));
}

/// Writes to a file in memory, and reads it in two parts.
task<void> file_in_memory(event_loop& loop, ledger& seen) {
    const unique_fd file(checked(::memfd_create("faults", MFD_CLOEXEC), "memfd_create"));
    char written[] = "at a position", start[3] = {}, end[16] = {};
    const iovec whole{written, sizeof written};
    const std::array parts{iovec{start, sizeof start}, iovec{end, sizeof end}};
    auto work = [&]() -> task<void> {
        const std::size_t sent = co_await write_file(loop, file.get(), {&whole, 1}, 1000);
        const std::size_t got = co_await read_file(loop, file.get(), parts, 1000);
        seen.expect(sent == sizeof written && got == sent && std::memcmp(end, "a position", 11) == 0,
                    "the bytes read from a file differ from the bytes written");
        seen.expect(co_await read_file(loop, file.get(), parts, 1000 + sent) == 0,
                    "a read at the end of a file does not report the end");
    };
    std::array all{seen.operation(work())};
    co_await all_of(loop, all);
}

/// Uses a pipe as a file. A read waits for bytes, and a write waits for space.
task<void> pipe_as_file(event_loop& loop, ledger& seen) {
    pipe_ends ends = loop.open_pipe();
    const int reader = ends.reader.native_handle();
    const int writer = ends.writer.native_handle();
    static std::array<char, 100'000> place;
    const iovec part{place.data(), place.size()};
    auto read = [&]() -> task<void> {
        seen.expect(co_await read_file(loop, reader, {&part, 1}) == 4, "a read returned other bytes");
    };
    auto write_later = [&]() -> task<void> {
        for (int i = 0; i < 3; ++i) co_await loop.yield();
        checked(static_cast<int>(past_the_watch::write(writer, "text", 4)), "write");
    };
    std::array reads{seen.operation(read()), seen.operation(write_later())};
    co_await all_of(loop, reads);
    fill(writer);
    auto write = [&]() -> task<void> {
        seen.expect(co_await write_file(loop, writer, {&part, 1}) > 0, "a write wrote nothing");
    };
    auto drain_later = [&]() -> task<void> {
        for (int i = 0; i < 3; ++i) co_await loop.yield();
        while (past_the_watch::read(reader, place.data(), place.size()) > 0) continue;
    };
    std::array writes{seen.operation(write()), seen.operation(drain_later())};
    co_await all_of(loop, writes);
}

task<void> standard_input_of_a_pipe(event_loop& loop, ledger& seen) {
    int ends[2];
    checked(past_the_watch::blocking_pipe(ends), "pipe");
    const unique_fd reader(ends[0]);
    const unique_fd writer(ends[1]);
    standard_input input(loop, reader.get());
    auto write = [&]() -> task<void> {
        co_await loop.yield();
        checked(static_cast<int>(past_the_watch::write(writer.get(), "line", 4)), "write");
    };
    std::array all{seen.operation(write()), seen.operation(expect_text(input, "line", seen))};
    co_await all_of(loop, all);
}

task<void> datagrams(event_loop& loop, ledger& seen) {
    datagram_socket one(loop, open_datagram(endpoint::loopback(0)));
    datagram_socket other(loop, open_datagram(endpoint::loopback(0)));
    auto receive = [&]() -> task<void> {
        std::array<std::byte, 16> buffer;
        const datagram_result result = co_await other.receive_from(buffer);
        seen.expect(count_of(result) == 3 && result.sender.port() == one.local().port(),
                    "the received datagram is not the one that was sent");
    };
    auto send = [&]() -> task<void> {
        const endpoint to = other.local();
        co_await loop.yield();
        count_of(co_await one.send_to(bytes_of("one"), to));
    };
    std::array all{seen.operation(receive()), seen.operation(send())};
    co_await all_of(loop, all);
}

/// Sends datagrams that have to wait for space. The socket is a Unix socket, because UDP would drop the
/// datagrams.
task<void> datagrams_that_wait(event_loop& loop, ledger& seen) {
    int ends[2];
    checked(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
    datagram_socket one(loop, unique_fd(ends[0]));
    datagram_socket other(loop, unique_fd(ends[1]));
    static constexpr std::size_t datagram_bytes = 30'000;
    static constexpr int count = 20;
    auto send = [&]() -> task<void> {
        for (int i = 0; i < count; ++i)
            count_of(co_await one.send_to(much().first(datagram_bytes), endpoint()));
    };
    auto receive = [&]() -> task<void> {
        static std::array<std::byte, datagram_bytes> place;
        co_await loop.sleep_for(300us);
        for (int i = 0; i < count; ++i) {
            seen.expect(count_of(co_await other.receive_from(place)) == datagram_bytes,
                        "a received datagram is shorter than the sent one");
        }
    };
    std::array all{seen.operation(send()), seen.operation(receive())};
    co_await all_of(loop, all);
}

task<void> signals(event_loop& loop, ledger& seen) {
    signal_receiver received(loop, {SIGUSR1});
    auto wait = [&]() -> task<void> {
        seen.expect(co_await received.next() == SIGUSR1, "a signal other than SIGUSR1 was received");
    };
    auto raise = [&]() -> task<void> {
        co_await loop.yield();
        ::pthread_kill(::pthread_self(), SIGUSR1);
    };
    std::array all{seen.operation(wait()), seen.operation(raise())};
    co_await all_of(loop, all);
}

task<void> names(event_loop& loop, ledger& seen) {
    resolver looked_up(loop);
    auto resolve = [&]() -> task<void> {
        const auto found = co_await looked_up.resolve("127.0.0.1", "80");
        seen.expect(!found.empty() && found.front().port() == 80, "no address with port 80 was found");
    };
    std::array all{seen.operation(resolve()), seen.operation(resolve())};
    co_await all_of(loop, all);
}

task<void> sleep(event_loop& loop, nanoseconds duration, ledger& seen) {
    const time_point until = loop.now() + duration;
    co_await loop.sleep_until(until);
    seen.expect(loop.now() >= until, "a sleep was too short");
}

struct cancelled_at_the_end {
    call_handle& call;
    ~cancelled_at_the_end() { call.cancel(); }
};

task<void> timers(event_loop& loop, ledger& seen) {
    bool called = false;
    call_handle cancelled = loop.call_later(50us, [&] { seen.expect(false, "a cancelled call ran"); });
    cancelled.cancel();
    call_handle made = loop.call_later(100us, [&] { called = true; });
    const cancelled_at_the_end guard{made};
    std::array all{seen.operation(sleep(loop, 200us, seen)), seen.operation(sleep(loop, 400us, seen)),
                   seen.operation(sleep(loop, 100us, seen))};
    co_await all_of(loop, all);
    seen.expect(called, "a scheduled call did not run in time");
    const auto none = co_await with_deadline(loop, sleep(loop, 1h, seen), loop.now() + 100us);
    seen.expect(!none, "a sleep of an hour ended early");
}

task<void> earlier_timer(event_loop& loop, ledger& seen) {
    constexpr auto late = 5s;
    const time_point start = loop.now();
    bool done = false;
    auto wait = [&]() -> task<void> {
        const auto ended = co_await with_deadline(loop, sleep(loop, 1h, seen), start + late);
        seen.expect(done && !ended, "the later of two timers fired first");
    };
    auto wake_up_and_wait = [&]() -> task<void> {
        pipe_end source(loop, unique_fd(checked(past_the_watch::timer(300'000), "timer")));
        std::uint64_t expiries = 0;
        count_of(co_await source.read_some(std::as_writable_bytes(std::span(&expiries, 1))));
        co_await sleep(loop, 100us, seen);
        done = true;
        seen.expect(loop.now() < start + late, "a timer fired as late as the next one");
    };
    std::array both{seen.operation(wait()), seen.operation(wake_up_and_wait())};
    co_await loop.race(std::span(both));
}

task<void> ticks(event_loop& loop, ledger& seen) {
    co_await seen.operation(sleep(loop, 1ms, seen));
}

task<int> answer(event_loop& loop) {
    co_await loop.yield();
    co_return 42;
}

task<void> futures(event_loop& loop, ledger& seen) {
    promise<int> coming(loop);
    const auto later = coming.get_future();
    int callbacks = 0;
    later.add_done_callback([&](const auto&) { ++callbacks; });
    const auto running = create_task(loop, answer(loop));
    auto wait = [&]() -> task<void> { seen.expect(co_await later == 7, "the value of the future is not 7"); };
    auto set = [&]() -> task<void> {
        seen.expect(co_await running == 42, "the task did not return 42");
        coming.set_value(7);
    };
    std::array all{seen.operation(wait()), seen.operation(set())};
    co_await all_of(loop, all);
    std::array racing{sleep(loop, 1h, seen), sleep(loop, 50us, seen)};
    seen.expect(co_await loop.race(std::span(racing)) == 1, "the shorter sleep did not win the race");
    int calls = 0;
    loop.call_soon([&] { ++calls; });
    loop.post([&] { ++calls; });
    for (int i = 0; i < 3; ++i) co_await loop.yield();
    seen.expect(calls == 2 && callbacks == 1, "a function was not called, or was called twice");
}

/// Posts functions from another thread. Each function is posted after the previous one has run, so that each
/// post has to wake the loop.
task<void> posts(event_loop& loop, ledger& seen) {
    static constexpr int count = 5;
    struct shared {
        explicit shared(event_loop& loop) : all_came(loop) {}
        std::atomic<int> came{0};
        event all_came;
    };
    const auto state = std::make_shared<shared>(loop);
    const auto post = [&loop, state] {
        for (int posted = 0; posted < count && state->came <= posted;) {
            try {
                loop.post_from_any_thread([state] {
                    if (++state->came == count) state->all_came.set();
                    state->came.notify_one();
                });
            } catch (const std::bad_alloc&) {
                continue;
            }
            state->came.wait(posted++);
        }
    };
    struct joined {
        std::thread thread;
        shared& state;
        ~joined() {
            if (state.came < count) state.came = count + 1;
            state.came.notify_one();
            thread.join();
        }
    };
    const joined posting{std::thread(post), *state};
    auto wait = [&]() -> task<void> { co_await state->all_came.wait(); };
    std::array all{seen.operation(wait())};
    co_await all_of(loop, all);
    seen.expect(state->came == count, "a posted function was lost, or ran twice");
}

/// Lets the loops of a group serve and ask each other. The calls in the threads of the group can fail, too;
/// the group then stops, and wait() throws the error.
task<void> group(event_loop& loop, ledger& seen) {
    auto works = [&](distribution how) -> task<void> {
        loop_group started({.loops = 2, .design = loop.name(), .cpus = {::sched_getcpu()}});
        try {
            const endpoint server =
                started.listen(endpoint::loopback(0), how, [&](stream connection) -> task<void> {
                    co_await expect_text(connection, "hello", seen);
                    count_of(co_await connection.write_all(bytes_of("world")));
                });
            auto asked = started.run(1, [&](event_loop& in) -> task<void> {
                stream connection = co_await in.connect(server);
                count_of(co_await connection.write_all(bytes_of("hello")));
                co_await expect_text(connection, "world", seen);
            });
            asked.get();
            started.finish();
        } catch (...) {
            seen.note(std::current_exception());
            started.stop();
            started.wait();  // throws the error that has stopped the group, if there is one
        }
        co_return;
    };
    std::array one{seen.operation(works(distribution::hand_over))};
    co_await all_of(loop, one);
    std::array other{seen.operation(works(distribution::reuse_port))};
    co_await all_of(loop, other);
    auto ends = [&]() -> task<void> {
        loop_group with_a_loop_for_each_cpu({.design = loop.name()});
        with_a_loop_for_each_cpu.finish();
        co_return;
    };
    std::array third{seen.operation(ends())};
    co_await all_of(loop, third);
}

task<void> callbacks(event_loop& loop, ledger& seen) {
    auto pair = unix_pair(loop);
    const int fd = pair.one.native_handle();
    int reads = 0;
    int writes = 0;
    event both(loop);
    const auto called = [&](int& count) {
        ++count;
        if (reads >= 2 && writes >= 2) both.set();
    };
    loop.add_reader(fd, [&] {
        called(reads);
        if (reads == 2) loop.remove_reader(fd);
    });
    struct removed {
        ~removed() {
            loop.remove_reader(fd);
            loop.remove_writer(fd);
        }
        event_loop& loop;
        int fd;
    };
    const removed at_the_end{loop, fd};
    loop.add_writer(fd, [&] {
        called(writes);
        if (writes == 2) loop.remove_writer(fd);
    });
    checked(static_cast<int>(past_the_watch::write(pair.other.native_handle(), "x", 1)), "write");
    auto wait = [&]() -> task<void> { co_await both.wait(); };
    std::array all{seen.operation(wait())};
    co_await all_of(loop, all);
}

/// Tells only the driver that the descriptor is closed, and keeps it open. epoll therefore still knows the
/// descriptor when the driver registers it again.
task<void> registered_again(event_loop& loop, ledger& seen) {
    auto pair = unix_pair(loop);
    auto interrupted = [&]() -> task<void> {
        std::array<std::byte, 16> buffer;
        count_of(co_await pair.one.read_some(buffer), ECANCELED);
    };
    auto interrupt = [&]() -> task<void> {
        for (int i = 0; i < 3; ++i) co_await loop.yield();
        loop.io().close(pair.one.native_handle());
    };
    std::array all{seen.operation(interrupted()), seen.operation(interrupt())};
    co_await all_of(loop, all);
    auto write = [&]() -> task<void> {
        for (int i = 0; i < 3; ++i) co_await loop.yield();
        count_of(co_await pair.other.write_all(bytes_of("again")));
    };
    std::array after{seen.operation(write()), seen.operation(expect_text(pair.one, "again", seen))};
    co_await all_of(loop, after);
}

task<void> read_for_ever(stream& from) {
    std::array<std::byte, 16> buffer;
    count_of(co_await from.read_some(buffer));
}

task<void> accept_for_ever(listener& listening) {
    co_await listening.accept();
}

task<void> readable_for_ever(event_loop& loop, int fd) {
    const auto result = co_await io_awaiter(loop.io(), io_kind::readable, fd);
    count_of(io_result::of(result));
}

task<void> cancellations(event_loop& loop, ledger& seen) {
    auto pair = unix_pair(loop);
    auto other = unix_pair(loop);
    listener listening = loop.listen();
    std::array all{seen.operation(read_for_ever(pair.one)), seen.operation(accept_for_ever(listening)),
                   seen.operation(accept_for_ever(listening)),
                   seen.operation(readable_for_ever(loop, other.one.native_handle())),
                   seen.operation(sleep(loop, 200us, seen))};
    const std::size_t first = co_await loop.race(std::span(all));
    seen.expect(first == all.size() - 1, "a task that waits for data ended without data");
}

/// Starts tasks that end only when the loop is destroyed.
task<void> left_to_the_end(event_loop& loop, ledger& seen) {
    auto pair = unix_pair(loop);
    listener listening = loop.listen();
    auto reads = [](stream from, stream) -> task<void> { co_await read_for_ever(from); };
    auto accepts = [](listener from) -> task<void> { co_await accept_for_ever(from); };
    const auto reading = create_task(loop, seen.operation(reads(std::move(pair.one), std::move(pair.other))));
    const auto accepting = create_task(loop, seen.operation(accepts(std::move(listening))));
    const auto sleeping = create_task(loop, seen.operation(sleep(loop, 1h, seen)));
    loop.call_later(1h, [] {});
    for (int i = 0; i < 3; ++i) co_await loop.yield();
}

/// Listens on a given port, for which the loop sets SO_REUSEADDR.
task<void> port_that_is_asked_for(event_loop& loop, ledger& seen) {
    listener first = loop.listen(endpoint::ip("127.83.17.5", 0));
    const auto where = local_endpoint(first.native_handle());
    first.close();
    listener again = loop.listen(where);
    seen.expect(again.port() == where.port(), "the second listener does not have the port of the first");
    co_return;
}

/// Requests a ring of an impossible size. For the text of the error, the loop reads the kernel's version with
/// uname(2).
task<void> refused_ring(event_loop& loop, ledger& seen) {
    bool refused = false;
    try {
        static_cast<void>(make_limited_io_uring_driver(loop.ready(), {.submissions = 1U << 20}));
    } catch (const std::system_error&) {
        refused = true;
    }
    seen.expect(refused, "a ring for a million submissions was created");
    co_return;
}

constexpr scenario table[] = {
    {"echo over TCP", "epsu", &echo_over_tcp},
    {"connections one by one", "epsu", &connections_one_by_one},
    {"echo over Unix", "epsu", &echo_over_unix},
    {"slow reader", "epsu", &slow_reader},
    {"descriptor in a message", "epsu", &descriptor_in_a_message},
    {.name = "pipes", .drivers = "epsu", .run = &pipes, .has_error = EPIPE},
    {"file in memory", "epsu", &file_in_memory},
    {"pipe as a file", "epsu", &pipe_as_file},
    {"standard input", "epsu", &standard_input_of_a_pipe},
    {"datagrams", "epsu", &datagrams},
    {"datagrams that wait", "epsu", &datagrams_that_wait},
    {"signals", "epsu", &signals},
    {"names", "epsu", &names},
    {"timers", "epsu", &timers},
    {"earlier timer", "eu", &earlier_timer},
    {.name = "ticks", .drivers = "t", .run = &ticks, .only_for = site_id::nanosleep},
    {"futures", "epsu", &futures},
    {"posts", "epsu", &posts},
    {"group", "epsu", &group},
    {.name = "callbacks", .drivers = "epsu", .run = &callbacks, .ends_with_run = true},
    {"registered again", "epsu", &registered_again},
    {"cancellations", "epsu", &cancellations},
    {.name = "left to the end", .drivers = "epsu", .run = &left_to_the_end, .leaves_operations = true},
    {"port that is asked for", "epsu", &port_that_is_asked_for},
    {.name = "refused ring", .drivers = "u", .run = &refused_ring, .only_for = site_id::uname},
};

}  // namespace

std::span<const scenario> scenarios() noexcept {
    return table;
}

task<void> echo_once(event_loop& loop) {
    ledger seen;
    listener listening = loop.listen();
    std::array all{ask(loop, endpoint::loopback(listening.port()), seen), serve(loop, listening, 1, seen)};
    co_await all_of(loop, all);
    if (seen.wrong() != nullptr) throw std::runtime_error(seen.wrong());
}

}  // namespace loopbench::loop::faults

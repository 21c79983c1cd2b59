// Tests closed, reused, too high and exhausted descriptors.
#include <fcntl.h>
#include <sys/un.h>

#include <filesystem>
#include <optional>

#include "tests/loop/descriptor_limit.hpp"
#include "tests/loop/net/full_listener.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

stream renumbered(event_loop& loop, stream open, int fd) {
    checked(::dup2(open.native_handle(), fd), "dup2");
    return stream(loop, unique_fd(fd));
}

std::error_code code_of(const std::system_error& error) {
    return error.code();
}

}  // namespace

class descriptors : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, descriptors, all_designs(), design_name);

TEST_P(descriptors, closing_a_descriptor_ends_its_pending_operations_with_ecanceled) {
    event_loop& loop = keep(make_loop());
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{64} << 20);
    auto main = [&]() -> task<void> {
        auto pair = co_await make_tcp_pair(loop);
        std::vector<int> errors;
        auto reads = [&]() -> task<void> {
            std::array<std::byte, 16> buffer;
            const io_result result = co_await pair.one.read_some(buffer);
            errors.push_back(result.error);
        };
        auto writes = [&]() -> task<void> {
            const io_result result = co_await pair.one.write_all(more_than_the_kernel_takes);
            EXPECT_LT(result.bytes, more_than_the_kernel_takes.size());
            errors.push_back(result.error);
        };
        auto closes = [&]() -> task<void> {
            co_await yield_times(loop, 100);
            EXPECT_EQ(loop.io().pending(), 2u) << "the read and the write must be pending before the close";
            pair.one.close();
        };
        std::array all{reads(), writes(), closes()};
        co_await loop.gather(std::span(all));
        EXPECT_EQ(errors, (std::vector{ECANCELED, ECANCELED}));
    };
    loop.run(main());
    EXPECT_EQ(loop.io().pending(), 0u);
}

TEST_P(descriptors, closing_a_descriptor_ends_its_pending_connect_with_ecanceled) {
    event_loop& loop = keep(make_loop());
    full_listener silent;
    const unique_fd unconnected = open_stream(AF_INET);
    std::int64_t result = 0;
    auto connects = [&]() -> task<void> {
        io_awaiter connecting(loop.io(), io_kind::connect, unconnected.get());
        connecting.set_address(&silent.address.address(), silent.address.bytes());
        result = co_await connecting;
    };
    loop.spawn(connects());
    turn_often(loop);
    EXPECT_EQ(loop.io().pending(), 1u) << "the connect must be pending before the close";
    loop.io().close(unconnected.get());
    turn_often(loop);
    EXPECT_EQ(result, -ECANCELED);
    EXPECT_EQ(loop.io().pending(), 0u);
}

TEST_P(descriptors, a_closed_descriptor_makes_every_operation_fail) {
    event_loop& loop = keep(make_loop());
    auto main = [&]() -> task<void> {
        auto pair = make_unix_pair(loop);
        pair.one.close();
        EXPECT_EQ(co_await read_text(pair.one), "error " + std::to_string(EBADF));
        const io_result written = co_await pair.one.write_all(bytes_of("x"));
        EXPECT_EQ(written.error, EBADF);
        auto listener = loop.listen();
        listener.close();
        EXPECT_THROW(co_await listener.accept(), std::system_error);
    };
    loop.run(main());
}

// A duplicate descriptor keeps the old file open. The kernel can therefore still report events of the old
// file when the descriptor number is reused.
TEST_P(descriptors, a_descriptor_number_that_is_reused_immediately_gets_no_events_of_the_old_file) {
    event_loop& loop = keep(make_loop());
    auto old_pair = make_unix_pair(loop);
    auto new_pair = make_unix_pair(loop);
    const int number = old_pair.one.native_handle();
    const unique_fd duplicate(checked(::dup(number), "dup"));
    std::string old_read;
    std::string new_read;
    auto reads = [&](stream& stream, std::string& text) -> task<void> { text = co_await read_text(stream); };
    auto main = [&]() -> task<void> {
        loop.spawn(reads(old_pair.one, old_read));
        co_await yield_times(loop, 100);
        put(old_pair.other.native_handle(), "old");
        old_pair.one.close();
        auto reused = renumbered(loop, std::move(new_pair.one), number);
        std::vector tasks{create_task(loop, reads(reused, new_read))};
        put(old_pair.other.native_handle(), "old");
        co_await yield_times(loop, 100);
        EXPECT_EQ(old_read, "error " + std::to_string(ECANCELED));
        EXPECT_EQ(new_read, "");
        put(new_pair.other.native_handle(), "new");
        co_await until_done(tasks);
        EXPECT_EQ(new_read, "new");
    };
    loop.run(main());
}

TEST_P(descriptors, the_unwritten_bytes_of_a_closed_file_do_not_reach_the_file_that_reuses_its_number) {
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{16} << 20);
    for (const int turns_until_close : {1, 2, 100}) {
        const auto owner = make_loop();
        event_loop& loop = *owner;
        auto old_pair = make_unix_pair(loop);
        auto new_pair = make_unix_pair(loop);
        const int number = old_pair.one.native_handle();
        auto writes = [&]() -> task<void> {
            const io_result result = co_await old_pair.one.write_all(more_than_the_kernel_takes);
            EXPECT_EQ(result.error, ECANCELED);
        };
        auto main = [&]() -> task<void> {
            std::vector tasks{create_task(loop, writes())};
            co_await yield_times(loop, turns_until_close);
            old_pair.one.close();
            auto reused = renumbered(loop, std::move(new_pair.one), number);
            co_await until_done(tasks);
            co_await yield_times(loop, 100);
            put(reused.native_handle(), "new");
            EXPECT_EQ(co_await read_text(new_pair.other), "new") << "closed after turn " << turns_until_close;
        };
        loop.run(main());
    }
}

TEST_P(descriptors, only_designs_with_select_refuse_descriptors_beyond_fd_setsize_and_suggest_other_designs) {
    constexpr int number = FD_SETSIZE + 500;
    const descriptor_limit limit;
    if (!limit.set(number + 10)) GTEST_SKIP() << "this process cannot open " << number << " descriptors";
    const auto owner = make_loop();
    event_loop& loop = *owner;
    auto pair = make_unix_pair(loop);
    auto other_pair = make_unix_pair(loop);
    auto far = renumbered(loop, std::move(pair.one), number);
    std::string refusal;
    auto main = [&]() -> task<void> {
        loop.post([&] { put(pair.other.native_handle(), "far"); });
        try {
            EXPECT_EQ(co_await read_text(far), "far");
        } catch (const std::system_error& error) {
            refusal = error.what();
        }
        put(other_pair.other.native_handle(), "near");
        EXPECT_EQ(co_await read_text(other_pair.one), "near")
            << "a refused descriptor must not disturb other descriptors";
        if (!refusal.empty()) {
            EXPECT_THROW(loop.add_reader(number, [] {}), std::system_error);
        }
    };
    loop.run(main());
    if (!refusal.empty()) {
        put(pair.other.native_handle(), "here");
        EXPECT_THROW(loop.add_reader(number, [] {}), std::system_error);
        EXPECT_THROW(loop.run(read_text(far)), std::system_error);
    }
    const bool on_select = find_design(GetParam())->driver == "select";
    EXPECT_EQ(!refusal.empty(), on_select);
    if (on_select) {
        EXPECT_NE(refusal.find("select cannot watch descriptor 1524"), std::string::npos) << refusal;
        EXPECT_NE(refusal.find("use a design on poll, epoll or io_uring"), std::string::npos) << refusal;
    }
    EXPECT_FALSE(loop.remove_reader(number));
}

// If the backlog is full, connect(2) returns EAGAIN and begins no connection. A loop that waited for the
// socket would find it writable, and treat it as connected.
TEST_P(descriptors, connecting_to_a_unix_listener_whose_backlog_is_full_throws) {
    if (is("loop-uring")) GTEST_SKIP() << GetParam() << " waits for space in the backlog instead of throwing";
    event_loop& loop = keep(make_loop());
    // The name contains the process ID, because the same test might run on another design at the same time.
    const std::string abstract_name =
        std::string("\0loopbench full backlog ", 24) + std::to_string(::getpid());
    const unique_fd listener(checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    auto where = endpoint::unix_path(abstract_name);
    checked(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&where.address()), where.bytes()),
            "bind");
    checked(::listen(listener.get(), 0), "listen");
    auto main = [&]() -> task<void> {
        std::vector<stream> connected;
        std::optional<std::error_code> refused;
        while (!refused && connected.size() < 10) {
            try {
                connected.push_back(co_await loop.connect(where));
            } catch (const std::system_error& error) {
                refused = code_of(error);
            }
        }
        EXPECT_EQ(refused, std::error_code(ENOBUFS, std::generic_category()));
        for (auto& stream : connected) {
            const io_result written = co_await stream.write_all(bytes_of("x"));
            EXPECT_EQ(written.error, 0);
        }
    };
    loop.run(main());
}

class used_up_descriptors : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, used_up_descriptors, all_designs(), design_name);

TEST_P(used_up_descriptors, an_accept_pauses_without_spinning_while_no_descriptor_is_free_and_then_recovers) {
    const descriptor_limit limit;
    const auto owner = make_loop();
    event_loop& loop = *owner;
    auto listener = loop.listen();
    bool accepted = false;
    auto accepts = [&]() -> task<void> {
        const auto stream = co_await listener.accept();
        accepted = true;
    };
    auto main = [&]() -> task<void> {
        auto client = co_await loop.connect(listener.port());
        limit.use_up();
        std::vector tasks{create_task(loop, accepts())};
        const std::size_t before = clock.sleeps();
        co_await loop.sleep_for(3500ms);
        EXPECT_FALSE(accepted);
        // The driver pauses between its accepts for 1, 2, 4, 8, 16 ms, and then for 20 ms each time. This
        // gives about 180 pauses in 3.5 s.
        EXPECT_LE(clock.sleeps() - before, 190u);
        const time_point returned = loop.now();
        limit.restore();
        co_await until_done(tasks);
        EXPECT_TRUE(accepted);
        EXPECT_LE(loop.now() - returned, 50ms + 2 * late_max());
    };
    loop.run(main());
}

TEST_P(used_up_descriptors, a_listener_whose_accept_pauses_can_be_closed) {
    const descriptor_limit limit;
    const auto owner = make_loop();
    event_loop& loop = *owner;
    auto listener = loop.listen();
    std::error_code error;
    auto accepts = [&]() -> task<void> {
        try {
            co_await listener.accept();
        } catch (const std::system_error& thrown) {
            error = thrown.code();
        }
    };
    auto main = [&]() -> task<void> {
        auto client = co_await loop.connect(listener.port());
        limit.use_up();
        std::vector tasks{create_task(loop, accepts())};
        co_await loop.sleep_for(100ms);
        listener.close();
        limit.restore();
        co_await until_done(tasks);
        EXPECT_EQ(error, std::errc::operation_canceled);
    };
    loop.run(main());
}

}  // namespace loopbench::loop::test

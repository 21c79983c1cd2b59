// Tests the streaming floors. A thread between the writer and the reader changes the stream.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bench/suite/floors/streams.hpp"
#include "tests/floors/named.hpp"

namespace loopbench::bench::floors {
namespace {

constexpr std::size_t chunk_bytes = 4096;
constexpr std::uint64_t chunks = 20;

/// A thread that passes on a stream in pieces. `change` receives a piece and its position `at` in the stream.
/// It can modify the piece, and returns how many bytes of the piece are passed on. After an incomplete piece,
/// the stream ends for the reader.
class meddler {
public:
    using change = std::function<std::size_t(std::size_t at, std::span<std::byte> piece)>;

    explicit meddler(change how, std::size_t piece_bytes = 1000)
        : change_(std::move(how)), piece_bytes_(piece_bytes) {
        auto before = socket_pair(), behind = socket_pair();
        ends_ = {.writer = std::move(before.writer), .reader = std::move(behind.reader)};
        thread_ = std::thread([this, from = std::move(before.reader),
                               to = std::move(behind.writer)]() mutable { pass_on(from, to); });
    }
    ~meddler() { thread_.join(); }

    one_way ends() { return std::move(ends_); }

private:
    static one_way socket_pair() {
        std::array<int, 2> fds{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0)
            throw std::system_error(errno, std::generic_category(), "socketpair");
        return {.writer = loop::unique_fd(fds[0]), .reader = loop::unique_fd(fds[1])};
    }

    void pass_on(loop::unique_fd& from, loop::unique_fd& to) {
        std::vector<std::byte> piece(piece_bytes_);
        std::size_t at = 0;
        for (ssize_t got; (got = ::read(from.get(), piece.data(), piece.size())) > 0;) {
            const auto bytes = static_cast<std::size_t>(got);
            const auto kept = change_(at, std::span(piece).first(bytes));
            at += bytes;
            if (::send(to.get(), piece.data(), kept, MSG_NOSIGNAL) < 0) continue;
            if (kept < bytes) to.reset();
        }
    }

    change change_;
    std::size_t piece_bytes_;
    one_way ends_;
    std::thread thread_;  // the last member, because it uses all members above
};

struct stream_floors : testing::TestWithParam<named<stream_floor>> {
    /// Returns the reason why the trial of this floor failed, or an empty string. Skips the test if the
    /// kernel refuses io_uring.
    std::string outcome_of(one_way ends) {
        t.emplace(workload_size::small, chunks);
        unless_refused([&] { GetParam().function(std::move(ends), chunk_bytes, *t); });
        return t->failure().value_or("");
    }

    std::optional<trial> t;
};

INSTANTIATE_TEST_SUITE_P(all, stream_floors,
                         testing::Values(named<stream_floor>{"blocking", stream_blocking},
                                         named<stream_floor>{"epoll", stream_epoll},
                                         named<stream_floor>{"uring", stream_uring}),
                         name_of);

TEST_P(stream_floors, streams_through_a_pipe_and_over_a_connection_pass_the_check_of_their_work) {
    EXPECT_EQ(outcome_of(open_pipe()), "");
    if (IsSkipped()) return;
    EXPECT_EQ(outcome_of(open_stream_over_loopback()), "");
}

TEST_P(stream_floors, chunks_that_arrive_late_and_in_pieces_are_put_together) {
    meddler whole([](std::size_t, std::span<std::byte> piece) { return piece.size(); });
    const auto outcome = outcome_of(whole.ends());
    if (IsSkipped()) return;
    EXPECT_EQ(outcome, "");
}

TEST_P(stream_floors, one_wrong_byte_in_a_stream_fails_the_trial) {
    meddler spoiling([](std::size_t at, std::span<std::byte> piece) {
        constexpr std::size_t wrong = 7 * chunk_bytes - 1;
        if (at <= wrong && wrong < at + piece.size()) piece[wrong - at] ^= std::byte{1};
        return piece.size();
    });
    const auto outcome = outcome_of(spoiling.ends());
    if (IsSkipped()) return;
    EXPECT_EQ(outcome, "number of received pieces that differ from the bytes sent: expected 0, got 1");
}

TEST_P(stream_floors, a_stream_that_ends_too_early_fails_the_trial) {
    meddler cutting([](std::size_t at, std::span<std::byte> piece) {
        return at + piece.size() > 3 * chunk_bytes ? std::size_t{0} : piece.size();
    });
    const auto outcome = outcome_of(cutting.ends());
    if (IsSkipped()) return;
    EXPECT_TRUE(outcome.starts_with("number of bytes received: expected 344064, got ")) << outcome;
}

// Only this floor is tested, because the other floors would wait forever for space in the pipe.
TEST(stream_floor_on_epoll, a_chunk_that_does_not_fit_into_the_pipe_fails_the_trial) {
    trial t(workload_size::small, chunks);
    stream_epoll(open_pipe(), 1 << 20, t);
    EXPECT_EQ(t.failure().value_or(""), "the stream failed: No buffer space available");
}

}  // namespace
}  // namespace loopbench::bench::floors

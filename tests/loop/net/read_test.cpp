// Tests exact reads and delimited reads.
#include "loop/net/read.hpp"

#include <array>
#include <cstring>
#include <deque>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

/// A stream that returns at most one of the `pieces` per read. A read after the last piece returns `error`,
/// or the end of the stream if `error` is 0.
struct scripted_stream {
    std::deque<std::string> pieces;
    int error = 0;

    task<io_result> read_some(std::span<std::byte> buffer) {
        if (pieces.empty()) co_return io_result{.bytes = 0, .error = error};
        std::string& piece = pieces.front();
        const std::size_t bytes = std::min(buffer.size(), piece.size());
        std::memcpy(buffer.data(), piece.data(), bytes);
        piece.erase(0, bytes);
        if (piece.empty()) pieces.pop_front();
        co_return io_result{.bytes = bytes, .error = 0};
    }
};

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class exact_reads : public testing::Test {
protected:
    using reader = buffered_reader<scripted_stream>;
    io_result read(reader& from, std::size_t bytes) {
        buffer.resize(bytes);
        return loop.run(from.read_exactly(std::span(buffer)));
    }
    const std::unique_ptr<event_loop> owner = make_loop("loop-epoll");
    event_loop& loop = *owner;
    std::vector<std::byte> buffer;
};

class delimited_reads : public testing::Test {
protected:
    using reader = buffered_reader<scripted_stream>;
    reader::outcome read(reader& from, std::string_view delimiter) {
        return loop.run(from.read_until(delimiter));
    }
    const std::unique_ptr<event_loop> owner = make_loop("loop-epoll");
    event_loop& loop = *owner;
};

}  // namespace

TEST_F(exact_reads, an_exact_read_fills_the_buffer_from_pieces_of_any_size) {
    scripted_stream stream{{"a", "bc", "", "defgh"}, 0};
    stream.pieces.erase(stream.pieces.begin() + 2);
    reader from(stream);
    EXPECT_EQ(read(from, 5).bytes, 5u);
    EXPECT_EQ(text_of(buffer), "abcde");
    EXPECT_EQ(read(from, 3).bytes, 3u);
    EXPECT_EQ(text_of(buffer), "fgh");
}

TEST_F(exact_reads, an_exact_read_returns_fewer_bytes_and_no_error_at_the_end_of_the_stream) {
    scripted_stream stream{{"abc"}, 0};
    reader from(stream);
    const io_result result = read(from, 5);
    EXPECT_EQ(result.bytes, 3u);
    EXPECT_EQ(result.error, 0);
}

TEST_F(exact_reads, an_exact_read_returns_an_error_and_the_bytes_before_the_error) {
    scripted_stream stream{{"abc"}, ECONNRESET};
    reader from(stream);
    const io_result result = read(from, 5);
    EXPECT_EQ(result.bytes, 3u);
    EXPECT_EQ(result.error, ECONNRESET);
}

TEST_F(exact_reads, an_exact_read_of_zero_bytes_does_not_read_from_the_stream) {
    scripted_stream stream{{}, ECONNRESET};
    reader from(stream);
    EXPECT_EQ(read(from, 0).error, 0);
}

TEST_F(exact_reads, an_exact_read_continues_after_the_last_byte_of_a_delimited_read) {
    scripted_stream stream{{"length 5\n\nab", "cd", "eNEXT", "\n"}, 0};
    reader from(stream);
    EXPECT_EQ(loop.run(from.read_until("\n\n")).text, "length 5\n\n");
    EXPECT_EQ(read(from, 5).bytes, 5u);
    EXPECT_EQ(text_of(buffer), "abcde");
    EXPECT_EQ(loop.run(from.read_until("\n")).text, "NEXT\n");
    EXPECT_EQ(read(from, 1).bytes, 0u);
}

TEST_F(exact_reads, exact_reads_can_be_larger_than_one_receive_and_can_be_repeated) {
    std::string all;
    for (int i = 0; i < 50'000; ++i) all.push_back(static_cast<char>('a' + i % 26));
    scripted_stream stream;
    for (std::size_t at = 0; at < all.size(); at += 1'000) stream.pieces.push_back(all.substr(at, 1'000));
    reader from(stream);
    std::string received;
    for (const std::size_t bytes : {1u, 10'000u, 3u, 4'095u, 4'097u, 30'000u, 1'804u}) {
        EXPECT_EQ(read(from, bytes).bytes, bytes);
        received += text_of(buffer);
    }
    EXPECT_EQ(received, all);
}

TEST_F(delimited_reads, delimited_reads_cut_a_stream_into_lines) {
    scripted_stream stream{{"one\ntwo\nth", "ree\n"}, 0};
    reader lines(stream);
    for (const char* expected : {"one\n", "two\n", "three\n", ""})
        EXPECT_EQ(read(lines, "\n").text, expected);
}

TEST_F(delimited_reads, a_delimiter_is_found_even_if_it_is_split_between_pieces) {
    const std::string whole = "head\r\n\r\nbody";
    for (std::size_t cut = 1; cut < whole.size(); ++cut) {
        for (std::size_t second = cut + 1; second < whole.size(); ++second) {
            scripted_stream stream{
                {whole.substr(0, cut), whole.substr(cut, second - cut), whole.substr(second)}, 0};
            reader parts(stream);
            ASSERT_EQ(read(parts, "\r\n\r\n").text, "head\r\n\r\n") << cut << ' ' << second;
            ASSERT_EQ(read(parts, "\r\n\r\n").text, "body");
        }
    }
}

TEST_F(delimited_reads, a_delimiter_is_found_even_if_its_first_bytes_are_repeated_before_it) {
    scripted_stream stream{{"xa", "a", "ab", "rest"}, 0};
    reader parts(stream);
    EXPECT_EQ(read(parts, "aab").text, "xaaab");
}

TEST_F(delimited_reads,
       a_delimited_read_returns_the_text_before_the_end_of_a_stream_or_the_error_of_the_stream) {
    scripted_stream ended{{"no end"}, 0};
    reader of_ended(ended);
    const auto rest = read(of_ended, "\n");
    EXPECT_EQ(rest.text, "no end");
    EXPECT_EQ(rest.error, 0);
    scripted_stream failed{{"no end"}, ECONNRESET};
    reader of_failed(failed);
    EXPECT_EQ(read(of_failed, "\n").error, ECONNRESET);
}

TEST_F(delimited_reads, a_delimited_read_fails_if_no_delimiter_arrives_within_its_limit) {
    constexpr std::size_t limit = 10'000;
    scripted_stream stream;
    for (int i = 0; i < 100; ++i) stream.pieces.emplace_back(1'000, 'x');
    reader lines(stream, limit);
    const auto result = read(lines, "\n");
    EXPECT_EQ(result.error, EMSGSIZE);
    EXPECT_GE(result.text.size(), limit);
    EXPECT_LT(result.text.size(), limit + 4'096);
    EXPECT_GE(stream.pieces.size(), 85u)
        << "the reader must stop at its limit and leave the other pieces unread";
}

class delimited_streams : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, delimited_streams, all_designs(), design_name);

TEST_P(delimited_streams, delimited_reads_of_a_socket_return_its_lines) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    auto main = [&]() -> task<void> {
        buffered_reader<stream> lines(pair.one);
        loop.post([&] { put(pair.other.native_handle(), "first\nsec"); });
        const auto first = co_await lines.read_until("\n");
        EXPECT_EQ(first.text, "first\n");
        loop.post([&] { put(pair.other.native_handle(), "ond\n"); });
        const auto second = co_await lines.read_until("\n");
        EXPECT_EQ(second.text, "second\n");
        pair.other.close();
        const auto end = co_await lines.read_until("\n");
        EXPECT_EQ(end.text, "");
        EXPECT_EQ(end.error, 0);
    };
    loop.run(main());
}

// If bytes were lost, a read with a time limit could leave the stream in the middle of a message.
TEST_P(delimited_streams, a_cancelled_buffered_read_loses_no_bytes) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    buffered_reader<stream> from(pair.one);
    std::array<std::byte, 8> message{};
    auto reads = [&]() -> task<void> { co_await from.read_exactly(message); };
    auto reads_line = [&]() -> task<void> { co_await from.read_until("\n"); };
    for (const bool exactly : {true, false}) {
        const auto reading = create_task(loop, exactly ? reads() : reads_line());
        put(pair.other.native_handle(), "abc");
        turn_often(loop);
        EXPECT_FALSE(reading.done());
        reading.cancel();
        turn_often(loop);
        EXPECT_EQ(ending_of(reading.outcome()), "cancelled");
    }
    put(pair.other.native_handle(), "de");
    loop.run(reads());
    EXPECT_EQ(text_of(message), "abcabcde");
}

}  // namespace loopbench::loop::test

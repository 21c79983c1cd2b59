// Tests the optional concept Pipes.
#include <cerrno>
#include <cstddef>
#include <vector>

#include "tests/conformance/bytes.hpp"

namespace loopbench::conformance {

template <class R>
class pipes : public conformance_test<R> {
protected:
    static constexpr bool has_word = bench::Pipes<R>;

    void SetUp() override {
        conformance_test<R>::SetUp();
        if (!has_word) GTEST_SKIP() << this->name() << ": the adapter has no open_pipe()";
    }
};

CONFORMANCE_TEST(pipes, a_pipe_carries_a_large_write_completely_to_a_slow_reader) {
    R& runtime = this->keep(this->make_runtime());
    const auto sent = bytes_of_number(std::size_t{2} << 20);
    std::vector<std::byte> received;
    auto main = [&]() -> task_of<R> {
        auto ends = runtime.open_pipe();
        std::vector<task_of<R>> both;
        both.push_back(write_and_end<R>(ends.writer, sent));
        both.push_back(receive_all(runtime, ends.reader, received, 10'000));
        co_await gather_all(runtime, both);
    };
    runtime.run(main());
    EXPECT_TRUE(received == sent) << received.size() << " bytes of " << sent.size();
}

// The kernel reports the last bytes and the end of the pipe in one event. The runtime must still report the
// end after a short read.
CONFORMANCE_TEST(pipes, closing_the_writer_of_a_pipe_ends_the_reads_after_the_last_bytes) {
    R& runtime = this->keep(this->make_runtime());
    const auto sent = bytes_of_number(100);
    std::vector<std::byte> before;
    std::vector<std::byte> while_waiting;
    auto main = [&]() -> task_of<R> {
        auto closed_before = runtime.open_pipe();
        co_await write_and_end<R>(closed_before.writer, sent);
        co_await receive_all(runtime, closed_before.reader, before, 4096);

        auto ends = runtime.open_pipe();
        std::vector<task_of<R>> both;
        both.push_back(receive_all(runtime, ends.reader, while_waiting, 4096));
        both.push_back(write_and_end<R>(ends.writer, sent));
        co_await gather_all(runtime, both);
    };
    runtime.run(main());
    EXPECT_EQ(before, sent);
    EXPECT_EQ(while_waiting, sent);
}

CONFORMANCE_TEST(pipes, writing_to_a_pipe_without_a_reader_returns_an_error_and_raises_no_signal) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto ends = runtime.open_pipe();
        ends.reader.close();
        co_await write_fails<R>(ends.writer, EPIPE, EPIPE);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(pipes, closing_one_end_of_a_pipe_ends_the_pending_operations_of_this_end_with_ecanceled) {
    R& runtime = this->keep(this->make_runtime());
    const auto more_than_a_pipe_takes = bytes_of_number(std::size_t{4} << 20);
    auto main = [&]() -> task_of<R> {
        auto ends = runtime.open_pipe();
        runtime.post([&] {
            ends.reader.close();
            ends.reader.close();
        });
        co_await read_fails<R>(ends.reader, ECANCELED);

        auto full = runtime.open_pipe();
        runtime.post([&] { full.writer.close(); });
        const auto result = co_await full.writer.write_all(more_than_a_pipe_takes);
        EXPECT_EQ(result.error, ECANCELED);
    };
    runtime.run(main());
}

}  // namespace loopbench::conformance

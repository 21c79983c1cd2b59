// Tests the optional concept UnixSockets. The tests are separate from those of TCP, because adapters create
// Unix streams and TCP streams with different functions.
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tests/conformance/bytes.hpp"

namespace loopbench::conformance {

template <class R>
class unix_streams : public conformance_test<R> {
protected:
    static constexpr bool has_word = bench::UnixSockets<R>;

    void SetUp() override {
        conformance_test<R>::SetUp();
        if (!has_word) GTEST_SKIP() << this->name() << ": the adapter has no listen_unix()";
    }
};

class path_of_its_own {
public:
    path_of_its_own() {
        EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
        path_ = folder_ + "/socket";
    }
    ~path_of_its_own() {
        ::unlink(path_.c_str());
        ::rmdir(folder_.c_str());
    }
    const std::string& text() const { return path_; }

private:
    std::string folder_ = testing::TempDir() + "loopbench-XXXXXX";
    std::string path_;
};

template <bench::UnixSockets R>
task_of<R, connected_pair<typename R::unix_stream>> make_unix_pair(R& runtime) {
    const path_of_its_own path;
    auto listener = runtime.listen_unix(path.text());
    auto client = co_await runtime.connect_unix(path.text());
    auto server = co_await listener.accept();
    co_return connected_pair<typename R::unix_stream>{std::move(client), std::move(server)};
}

CONFORMANCE_TEST(unix_streams, unix_streams_carry_large_writes_in_both_directions_and_support_half_closes) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_unix_pair(runtime);
        co_await expect_an_exchange(runtime, pair, std::size_t{2} << 20);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(unix_streams, connecting_to_a_missing_path_throws_no_such_file) {
    R& runtime = this->keep(this->make_runtime());
    const path_of_its_own path;
    auto main = [&]() -> task_of<R> {
        try {
            co_await runtime.connect_unix(path.text());
            ADD_FAILURE() << "connected to a path without a listener";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory) << error.what();
        }
    };
    runtime.run(main());
}

CONFORMANCE_TEST(unix_streams, listening_at_a_path_in_use_throws) {
    R& runtime = this->keep(this->make_runtime());
    const path_of_its_own path;
    auto listener = runtime.listen_unix(path.text());
    EXPECT_THROW(runtime.listen_unix(path.text()), std::system_error);
    listener.close();
}

CONFORMANCE_TEST(unix_streams, closing_a_stream_or_listener_cancels_its_pending_operation) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_unix_pair(runtime);
        runtime.post([&] {
            pair.client.close();
            pair.client.close();
        });
        co_await read_fails<R>(pair.client, ECANCELED);

        const path_of_its_own path;
        auto listener = runtime.listen_unix(path.text());
        runtime.post([&] { listener.close(); });
        co_await accept_is_cancelled<R>(listener);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(unix_streams, closing_the_peer_ends_reads_and_makes_writes_fail) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        auto pair = co_await make_unix_pair(runtime);
        runtime.post([&] { pair.server.close(); });
        co_await read_fails<R>(pair.client, 0);
        co_await write_fails<R>(pair.client, EPIPE, ECONNRESET);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(unix_streams, the_bytes_of_a_hundred_connections_do_not_mix) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R> {
        const path_of_its_own path;
        auto listener = runtime.listen_unix(path.text());
        const auto connect = [&] { return runtime.connect_unix(path.text()); };
        co_await expect_replies(runtime, listener, connect, 100);
    };
    runtime.run(main());
}

}  // namespace loopbench::conformance

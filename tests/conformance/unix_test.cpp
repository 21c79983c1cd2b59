// Streams over Unix sockets: the word UnixSockets. They mean what TCP streams do, so these are the tests of
// what an adapter could get wrong by making them another way.
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
    void SetUp() override {
        conformance_test<R>::SetUp();
        if constexpr (!bench::UnixSockets<R>) GTEST_SKIP() << R::name << ": the adapter has no listen_unix()";
    }
};
TYPED_TEST_SUITE(unix_streams, runtimes, runtime_names);

/// A path in a folder of its own.
class path_of_its_own {
public:
    path_of_its_own() {
        EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
        path_ = folder_ + "/socket";
    }
    ~path_of_its_own() {
        ::unlink(path_.c_str());  // some runtimes have removed it
        ::rmdir(folder_.c_str());
    }
    const std::string& text() const { return path_; }

private:
    std::string folder_ = testing::TempDir() + "loopbench-XXXXXX";
    std::string path_;
};

/// Both ends of a new connection.
template <bench::UnixSockets R>
struct unix_pair {
    typename R::unix_stream client;
    typename R::unix_stream server;
};

template <bench::UnixSockets R>
task_of<R, unix_pair<R>> make_unix_pair(R& runtime) {
    const path_of_its_own path;
    auto listener = runtime.listen_unix(path.text());
    auto client = co_await runtime.connect_unix(path.text());
    auto server = co_await listener.accept();
    co_return unix_pair<R>{std::move(client), std::move(server)};
}

template <bench::UnixSockets R>
task_of<R> send_and_shut_down(typename R::unix_stream& stream, const std::vector<std::byte>& bytes) {
    const auto result = co_await stream.write_all(bytes);
    EXPECT_EQ(result.error, 0);
    EXPECT_EQ(result.bytes, bytes.size());
    stream.shutdown_write();
}

TYPED_TEST(unix_streams, carry_large_writes_both_ways_at_once_and_half_closes) {
    if constexpr (bench::UnixSockets<TypeParam>) {
        TypeParam runtime;
        const auto sent = bytes_of_number(std::size_t{2} << 20);
        std::vector<std::byte> at_client;
        std::vector<std::byte> at_server;
        auto main = [&]() -> task_of<TypeParam> {
            auto pair = co_await make_unix_pair(runtime);
            std::vector<task_of<TypeParam>> all;
            all.push_back(send_and_shut_down<TypeParam>(pair.client, sent));
            all.push_back(send_and_shut_down<TypeParam>(pair.server, sent));
            all.push_back(receive_all(runtime, pair.server, at_server, 65'536));
            all.push_back(receive_all(runtime, pair.client, at_client, 10'000));
            co_await gather_all(runtime, all);
        };
        runtime.run(main());
        EXPECT_TRUE(at_client == sent) << at_client.size();
        EXPECT_TRUE(at_server == sent) << at_server.size();
    }
}

TYPED_TEST(unix_streams, connecting_to_a_path_that_nobody_has_throws_the_cause) {
    if constexpr (bench::UnixSockets<TypeParam>) {
        TypeParam runtime;
        const path_of_its_own path;
        auto main = [&]() -> task_of<TypeParam> {
            try {
                co_await runtime.connect_unix(path.text());
                ADD_FAILURE() << "connected to a path that nobody has";
            } catch (const std::system_error& error) {
                EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory) << error.what();
            }
        };
        runtime.run(main());
    }
}

TYPED_TEST(unix_streams, listening_at_a_path_that_is_taken_throws) {
    if constexpr (bench::UnixSockets<TypeParam>) {
        TypeParam runtime;
        const path_of_its_own path;
        auto listener = runtime.listen_unix(path.text());
        EXPECT_THROW(runtime.listen_unix(path.text()), std::system_error);
        listener.close();
    }
}

TYPED_TEST(unix_streams, closing_completes_what_is_pending) {
    if constexpr (bench::UnixSockets<TypeParam>) {
        TypeParam runtime;
        auto main = [&]() -> task_of<TypeParam> {
            auto pair = co_await make_unix_pair(runtime);
            runtime.post([&] {
                pair.client.close();
                pair.client.close();
            });
            co_await read_fails<TypeParam>(pair.client, ECANCELED);

            const path_of_its_own path;
            auto listener = runtime.listen_unix(path.text());
            runtime.post([&] { listener.close(); });
            try {
                co_await listener.accept();
                ADD_FAILURE() << "accepted a connection that nobody made";
            } catch (const std::system_error& error) {
                EXPECT_EQ(error.code(), std::errc::operation_canceled) << error.what();
            }
        };
        runtime.run(main());
    }
}

TYPED_TEST(unix_streams, tell_that_the_peer_is_gone_by_the_end_of_reads_and_an_error_of_writes) {
    if constexpr (bench::UnixSockets<TypeParam>) {
        TypeParam runtime;
        auto main = [&]() -> task_of<TypeParam> {
            auto pair = co_await make_unix_pair(runtime);
            runtime.post([&] { pair.server.close(); });
            co_await read_fails<TypeParam>(pair.client, 0);
            co_await write_fails<TypeParam>(pair.client, EPIPE, ECONNRESET);
        };
        runtime.run(main());
    }
}

TYPED_TEST(unix_streams, keep_the_bytes_of_a_hundred_connections_apart) {
    if constexpr (bench::UnixSockets<TypeParam>) {
        constexpr std::size_t connections = 100;
        TypeParam runtime;
        std::size_t right_replies = 0;
        auto serve = [&](typename TypeParam::unix_stream stream) -> task_of<TypeParam> {
            std::vector<std::byte> request;
            co_await receive_all(runtime, stream, request, 256);
            co_await send_and_shut_down<TypeParam>(stream, request);
        };
        auto client = [&](const std::string& path, std::size_t number) -> task_of<TypeParam> {
            auto stream = co_await runtime.connect_unix(path);
            const std::vector<std::byte> sent(number % 97 + 1, static_cast<std::byte>(number * 31));
            std::vector<std::byte> received;
            co_await send_and_shut_down<TypeParam>(stream, sent);
            co_await receive_all(runtime, stream, received, 64);
            if (received == sent) ++right_replies;
        };
        auto server = [&](typename TypeParam::unix_listener& listener) -> task_of<TypeParam> {
            std::vector<task_of<TypeParam>> handlers;
            for (std::size_t i = 0; i < connections; ++i)
                handlers.push_back(serve(co_await listener.accept()));
            co_await gather_all(runtime, handlers);
        };
        auto main = [&]() -> task_of<TypeParam> {
            const path_of_its_own path;
            auto listener = runtime.listen_unix(path.text());
            std::vector<task_of<TypeParam>> all;
            all.push_back(server(listener));
            for (std::size_t i = 0; i < connections; ++i) all.push_back(client(path.text(), i));
            co_await gather_all(runtime, all);
        };
        runtime.run(main());
        EXPECT_EQ(right_replies, connections);
    }
}

}  // namespace loopbench::conformance

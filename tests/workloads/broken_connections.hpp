// Runtimes whose connections do almost the right thing.
#pragma once

#include <signal.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "asio_ref/runtime.hpp"
#include "bench/runtime.hpp"
#include "bench/workloads/sockets/echo_session.hpp"

namespace loopbench::bench {

/// A runtime with streams of another type, which are made of a right one, their runtime, and whether they are
/// the server's.
template <class Stream>
struct runtime_with : asio_ref::runtime {
    using stream = Stream;

    struct listener : asio_ref::listener {
        listener(asio_ref::listener whole, runtime_with& of)
            : asio_ref::listener(std::move(whole)), runtime(&of) {}
        task<stream> accept() { co_return stream(co_await asio_ref::listener::accept(), *runtime, true); }
        runtime_with* runtime;
    };

    listener listen() { return listener(asio_ref::runtime::listen(), *this); }
    task<stream> connect(std::uint16_t port) {
        co_return stream(co_await asio_ref::runtime::connect(port), *this, false);
    }

    // Of all streams together; what they are for is the streams' business.
    int reads = 0;
    int writes = 0;
    int accepted = 0;
    int sleeps_ended = 0;
};

/// What such a stream has to know.
template <class Stream>
struct stream_of : asio_ref::stream {
    stream_of(asio_ref::stream whole, runtime_with<Stream>& of, bool server)
        : asio_ref::stream(std::move(whole)), runtime(&of), of_server(server) {}
    runtime_with<Stream>* runtime;
    bool of_server;
};

/// Every thirteenth read, whoever reads, has one wrong bit. (Not every tenth: of ten connections, the same
/// one's server and client would put two of them right.)
struct corrupting_stream : stream_of<corrupting_stream> {
    using stream_of::stream_of;
    asio_ref::task<asio_ref::io_result> read_some(std::span<std::byte> in) {
        const auto result = co_await asio_ref::stream::read_some(in);
        if (result.bytes > 0 && ++runtime->reads % 13 == 0) in[result.bytes - 1] ^= std::byte{1};
        co_return result;
    }
};

struct corrupting_runtime : runtime_with<corrupting_stream> {
    struct reader : asio_ref::pipe_reader {
        explicit reader(asio_ref::pipe_reader whole) : asio_ref::pipe_reader(std::move(whole)) {}
        task<asio_ref::io_result> read_some(std::span<std::byte> in) {
            const auto result = co_await asio_ref::pipe_reader::read_some(in);
            if (result.bytes > 0 && ++reads % 13 == 0) in[result.bytes - 1] ^= std::byte{1};
            co_return result;
        }
        int reads = 0;
    };
    struct pipe_ends {
        corrupting_runtime::reader reader;
        asio_ref::pipe_writer writer;
    };
    pipe_ends open_pipe() {
        auto whole = asio_ref::runtime::open_pipe();
        return {reader(std::move(whole.reader)), std::move(whole.writer)};
    }
};

/// The fiftieth write says that it is done, and was not begun.
struct losing_stream : stream_of<losing_stream> {
    using stream_of::stream_of;
    asio_ref::task<asio_ref::io_result> write_all(std::span<const std::byte> out) {
        if (++runtime->writes == 50) co_return asio_ref::io_result{out.size(), 0};
        co_return co_await asio_ref::stream::write_all(out);
    }
};

struct losing_bytes_runtime : runtime_with<losing_stream> {
    struct writer : asio_ref::pipe_writer {
        explicit writer(asio_ref::pipe_writer whole) : asio_ref::pipe_writer(std::move(whole)) {}
        task<asio_ref::io_result> write_all(std::span<const std::byte> out) {
            if (++writes == 50) co_return asio_ref::io_result{out.size(), 0};
            co_return co_await asio_ref::pipe_writer::write_all(out);
        }
        int writes = 0;
    };
    struct pipe_ends {
        asio_ref::pipe_reader reader;
        losing_bytes_runtime::writer writer;
    };
    pipe_ends open_pipe() {
        auto whole = asio_ref::runtime::open_pipe();
        return {std::move(whole.reader), writer(std::move(whole.writer))};
    }
};

/// The server's write of this number is done, but said to have failed.
template <int Number>
struct misreporting_stream : stream_of<misreporting_stream<Number>> {
    using stream_of<misreporting_stream>::stream_of;
    asio_ref::task<asio_ref::io_result> write_all(std::span<const std::byte> out) {
        const auto result = co_await asio_ref::stream::write_all(out);
        if (this->of_server && ++this->runtime->writes == Number)
            co_return asio_ref::io_result{result.bytes, EIO};
        co_return result;
    }
};
template <int Number>
using misreporting_runtime = runtime_with<misreporting_stream<Number>>;

/// The first read of every hundredth connection of the server ends at once, with so many bytes that nobody
/// sent.
template <std::size_t Bytes>
struct imagining_stream : stream_of<imagining_stream<Bytes>> {
    imagining_stream(asio_ref::stream whole, runtime_with<imagining_stream>& of, bool server)
        : stream_of<imagining_stream>(std::move(whole), of, server),
          imagines(server && ++of.accepted % 100 == 0) {}
    asio_ref::task<asio_ref::io_result> read_some(std::span<std::byte> in) {
        if (imagines) co_return asio_ref::io_result{Bytes, 0};
        co_return co_await asio_ref::stream::read_some(in);
    }
    bool imagines;
};
template <std::size_t Bytes>
using imagining_runtime = runtime_with<imagining_stream<Bytes>>;

/// The server stops the process of its client, which is the only child of this thread, after each hundred
/// requests of 64 bytes: so long that a hundred more fall due at a rate of 1000 a second.
struct stopping_stream : stream_of<stopping_stream> {
    using stream_of::stream_of;
    asio_ref::task<asio_ref::io_result> read_some(std::span<std::byte> in) {
        const auto result = co_await asio_ref::stream::read_some(in);
        const int before =
            std::exchange(runtime->reads, runtime->reads + static_cast<int>(result.bytes / 64));
        if (before / 100 != runtime->reads / 100) stop_client();
        co_return result;
    }

private:
    static void stop_client() {
        pid_t client = -1;
        if (!(std::ifstream("/proc/thread-self/children") >> client)) return;
        ::kill(client, SIGSTOP);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        ::kill(client, SIGCONT);
    }
};

/// When it is warm, a connection of the server reads nothing until so many sleeps have ended.
template <int Sleeps>
struct deaf_stream : stream_of<deaf_stream<Sleeps>> {
    using stream_of<deaf_stream>::stream_of;
    asio_ref::task<asio_ref::io_result> read_some(std::span<std::byte> in) {
        if (this->of_server && ++reads > workloads::warm_up_round_trips)
            while (this->runtime->sleeps_ended < Sleeps) co_await this->runtime->yield();
        co_return co_await asio_ref::stream::read_some(in);
    }
    std::uint64_t reads = 0;
};
template <int Sleeps>
struct deaf_runtime : runtime_with<deaf_stream<Sleeps>> {
    asio_ref::task<void> sleep_until(time_point deadline) {
        co_await asio_ref::runtime::sleep_until(deadline);
        ++this->sleeps_ended;
    }
};

/// An end of a connection closes it after so many reads.
struct dropping_runtime : asio_ref::runtime {
    struct stream : asio_ref::stream {
        explicit stream(asio_ref::stream whole) : asio_ref::stream(std::move(whole)) {}

        task<asio_ref::io_result> read_some(std::span<std::byte> in) {
            if (++reads > 20) close();
            co_return co_await asio_ref::stream::read_some(in);
        }
        int reads = 0;
    };

    struct listener : asio_ref::listener {
        explicit listener(asio_ref::listener whole) : asio_ref::listener(std::move(whole)) {}
        task<stream> accept() { co_return stream(co_await asio_ref::listener::accept()); }
    };

    listener listen() { return listener(asio_ref::runtime::listen()); }
    task<stream> connect(std::uint16_t port) { co_return stream(co_await asio_ref::runtime::connect(port)); }
};

/// Every second connection of the server waits until everybody else has had many turns.
struct starving_runtime : asio_ref::runtime {
    struct stream : asio_ref::stream {
        stream(asio_ref::stream whole, asio_ref::runtime* of)
            : asio_ref::stream(std::move(whole)), starved_by(of) {}

        task<asio_ref::io_result> read_some(std::span<std::byte> in) {
            for (int i = 0; starved_by != nullptr && i < 200; ++i) co_await starved_by->yield();
            co_return co_await asio_ref::stream::read_some(in);
        }
        asio_ref::runtime* starved_by;  // null: served at once
    };

    struct listener : asio_ref::listener {
        listener(asio_ref::listener whole, asio_ref::runtime& of)
            : asio_ref::listener(std::move(whole)), runtime(&of) {}
        task<stream> accept() {
            asio_ref::runtime* const starved_by = ++accepted % 2 == 0 ? runtime : nullptr;
            co_return stream(co_await asio_ref::listener::accept(), starved_by);
        }
        asio_ref::runtime* runtime;
        int accepted = 0;
    };

    listener listen() { return listener(asio_ref::runtime::listen(), *this); }
    task<stream> connect(std::uint16_t port) {
        co_return stream(co_await asio_ref::runtime::connect(port), nullptr);
    }
};

/// The third connection that is made throws in its twentieth write.
struct throwing_runtime : asio_ref::runtime {
    struct stream : asio_ref::stream {
        stream(asio_ref::stream whole, bool broken) : asio_ref::stream(std::move(whole)), throws(broken) {}

        task<asio_ref::io_result> write_all(std::span<const std::byte> out) {
            if (throws && ++writes == 20) throw std::runtime_error("out of buffers");
            co_return co_await asio_ref::stream::write_all(out);
        }
        bool throws;
        int writes = 0;
    };

    struct listener : asio_ref::listener {
        explicit listener(asio_ref::listener whole) : asio_ref::listener(std::move(whole)) {}
        task<stream> accept() { co_return stream(co_await asio_ref::listener::accept(), false); }
    };

    listener listen() { return listener(asio_ref::runtime::listen()); }
    task<stream> connect(std::uint16_t port) {
        const bool broken = ++connections == 3;
        co_return stream(co_await asio_ref::runtime::connect(port), broken);
    }
    int connections = 0;
};

/// A connection that nobody accepts any more after the tenth: accept throws.
struct refusing_runtime : asio_ref::runtime {
    struct listener : asio_ref::listener {
        explicit listener(asio_ref::listener whole) : asio_ref::listener(std::move(whole)) {}
        task<asio_ref::stream> accept() {
            if (++accepted > 10) throw std::system_error(EMFILE, std::system_category(), "accept");
            co_return co_await asio_ref::listener::accept();
        }
        int accepted = 0;
    };

    listener listen() { return listener(asio_ref::runtime::listen()); }
};

}  // namespace loopbench::bench

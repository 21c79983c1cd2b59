#pragma once

#include <signal.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "tests/workloads/breakable_runtime.hpp"

namespace loopbench::bench {

/// A runtime in which every thirteenth read returns one wrong bit. An interval of ten would hide the fault.
/// With ten connections, the server and the client of a connection would invert the same bit, and the reply
/// would be correct again.
struct corrupting_runtime : breakable_runtime {
    task<io_result> read_some(stream& from, std::span<std::byte> in) override {
        return corrupt(breakable_runtime::read_some(from, in), in);
    }
    task<io_result> read_pipe(pipe_reader& from, std::span<std::byte> in) override {
        return corrupt(breakable_runtime::read_pipe(from, in), in);
    }
    task<io_result> corrupt(task<io_result> read, std::span<std::byte> in) {
        const auto result = co_await std::move(read);
        if (result.bytes > 0 && ++reads % 13 == 0) in[result.bytes - 1] ^= std::byte{1};
        co_return result;
    }
    int reads = 0;
};

/// A runtime that loses the write with the number `lost`: the write reports success without writing. The
/// number is larger than the number of writes in the warm-up of a stream workload, so that a write in the
/// timed section is lost.
struct losing_bytes_runtime : breakable_runtime {
    task<io_result> write_all(stream& to, std::span<const std::byte> out) override {
        return ++writes == lost ? lose(out) : breakable_runtime::write_all(to, out);
    }
    task<io_result> write_pipe(pipe_writer& to, std::span<const std::byte> out) override {
        return ++writes == lost ? lose(out) : breakable_runtime::write_pipe(to, out);
    }
    static task<io_result> lose(std::span<const std::byte> out) { co_return io_result{out.size(), 0}; }
    static constexpr int lost = 100;
    int writes = 0;
};

template <int Number>
struct misreporting_runtime : breakable_runtime {
    task<io_result> write_all(stream& to, std::span<const std::byte> out) override {
        const auto result = co_await breakable_runtime::write_all(to, out);
        if (to.of_server && ++writes == Number) co_return io_result{result.bytes, EIO};
        co_return result;
    }
    int writes = 0;
};

template <std::size_t Bytes>
struct imagining_runtime : breakable_runtime {
    task<io_result> read_some(stream& from, std::span<std::byte> in) override {
        if (from.of_server && from.number % 100 == 0) co_return io_result{Bytes, 0};
        co_return co_await breakable_runtime::read_some(from, in);
    }
};

/// A runtime whose server stops the client's process (this thread's only child) for 100 ms after every
/// hundred requests. During this time, another hundred requests fall due.
struct stopping_runtime : breakable_runtime {
    task<io_result> read_some(stream& from, std::span<std::byte> in) override {
        const auto result = co_await breakable_runtime::read_some(from, in);
        const std::size_t before = std::exchange(requests, requests + result.bytes / 64);
        if (before / 100 != requests / 100) stop_client();
        co_return result;
    }
    static void stop_client() {
        pid_t client = -1;
        if (!(std::ifstream("/proc/thread-self/children") >> client)) return;
        ::kill(client, SIGSTOP);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        ::kill(client, SIGCONT);
    }
    std::size_t requests = 0;
};

template <int Sleeps>
struct deaf_runtime : breakable_runtime {
    task<io_result> read_some(stream& from, std::span<std::byte> in) override {
        if (from.of_server && from.reads > workloads::warm_up_round_trips)
            while (sleeps_ended < Sleeps) co_await yield();
        co_return co_await breakable_runtime::read_some(from, in);
    }
    task<void> sleep_until(time_point deadline) override {
        co_await breakable_runtime::sleep_until(deadline);
        ++sleeps_ended;
    }
    int sleeps_ended = 0;
};

struct dropping_runtime : breakable_runtime {
    task<io_result> read_some(stream& from, std::span<std::byte> in) override {
        if (from.reads > 20) from.close();
        return breakable_runtime::read_some(from, in);
    }
};

struct starving_runtime : breakable_runtime {
    task<io_result> read_some(stream& from, std::span<std::byte> in) override {
        const bool starved = from.of_server && from.number % 2 == 0;
        for (int i = 0; starved && i < 200; ++i) co_await yield();
        co_return co_await breakable_runtime::read_some(from, in);
    }
};

struct throwing_runtime : breakable_runtime {
    task<io_result> write_all(stream& to, std::span<const std::byte> out) override {
        if (!to.of_server && to.number == 3 && to.writes == 20) throw std::runtime_error("out of buffers");
        co_return co_await breakable_runtime::write_all(to, out);
    }
};

struct refusing_runtime : breakable_runtime {
    task<stream> accept(listener& from) override {
        if (++accepted > 10) throw std::system_error(EMFILE, std::system_category(), "accept");
        co_return co_await breakable_runtime::accept(from);
    }
    int accepted = 0;
};

}  // namespace loopbench::bench

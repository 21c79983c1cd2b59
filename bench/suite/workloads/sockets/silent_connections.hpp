// The connections of this file carry no data. The peers are bare sockets in another process, so that only the
// runtime's waiting is measured.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "bench/suite/recording/memory.hpp"
#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads::detail {

/// A process that holds the clients' ends, so that the contender's process needs no descriptors for them.
/// Every group of 10,000 connections uses a different loopback address, because one address does not have
/// enough ports. Connections end with a reset, so that no port stays in TIME_WAIT. The kernel kills the
/// process when the thread that started it ends.
class silent_peers {
public:
    static constexpr std::size_t at_a_time = 100;

    silent_peers();
    ~silent_peers() { end(); }
    silent_peers(const silent_peers&) = delete;
    silent_peers& operator=(const silent_peers&) = delete;

    /// Opens `at_a_time` more connections to 127.0.0.1. The caller accepts them afterwards, so the listener's
    /// backlog must have space for them. Throws std::system_error with the remedy.
    void connect(std::uint16_t port);

    void end() noexcept;

private:
    int process_ = -1;
    int channel_ = -1;
};

/// Returns true if descriptors, ports or addresses ran out, which is not the contender's fault.
bool machine_lacks(const std::error_code& error) noexcept;

template <Runtime R>
class silent_connections {
public:
    silent_connections(R& runtime, trial& t) : runtime_(runtime), t_(t) {}

    /// Opens and accepts `count` connections, a multiple of 100. After a failure, stores the reason in the
    /// trial and returns false.
    task_of<R, bool> open(typename R::listener& listener, std::size_t count) {
        resident_before_ = resident_bytes();
        accepted_.reserve(count);  // a stream must not move while a read is pending
        try {
            while (accepted_.size() < count) {
                peers_.connect(listener.port());
                for (std::size_t i = 0; i < peers_.at_a_time; ++i)
                    accepted_.push_back(co_await listener.accept());
            }
        } catch (const std::system_error& error) {
            const std::string reason =
                std::string("the silent connections cannot be opened: ") + error.what();
            machine_lacks(error.code()) ? t_.unsupported(reason) : t_.fail(reason);
        }
        co_return accepted_.size() == count;
    }

    task_of<R> while_silent(task_of<R> work) {
        std::vector<task_of<R>> tasks;
        tasks.reserve(accepted_.size() + 1);
        for (auto& stream : accepted_) tasks.push_back(listen_to(stream));
        tasks.push_back(and_then_end(std::move(work)));
        co_await runtime_.gather(std::span<task_of<R>>(tasks));
    }

    void prove() {
        t_.prove("number of silent connections for which the loop waited", accepted_.size(), waited_for_);
        t_.prove("number of bytes received on silent connections", 0, heard_);
        t_.prove("number of silent connections that stayed open until the end", accepted_.size(),
                 open_at_the_end_);
    }

private:
    task_of<R> listen_to(typename R::stream& stream) {
        std::byte buffer[1];
        ++waited_for_;
        const auto received = co_await stream.read_some(buffer);
        heard_ += received.bytes;
        if (ending_) ++open_at_the_end_;
    }

    task_of<R> and_then_end(task_of<R> work) {
        co_await runtime_.yield();
        t_.report("bytes_per_item", static_cast<double>(resident_bytes() - resident_before_) /
                                        static_cast<double>(accepted_.size()));
        co_await std::move(work);
        ending_ = true;
        peers_.end();
    }

    R& runtime_;
    trial& t_;
    silent_peers peers_;
    std::vector<typename R::stream> accepted_;
    std::int64_t resident_before_ = 0;
    std::uint64_t waited_for_ = 0;
    std::uint64_t heard_ = 0;
    std::uint64_t open_at_the_end_ = 0;
    bool ending_ = false;
};

}  // namespace loopbench::bench::workloads::detail

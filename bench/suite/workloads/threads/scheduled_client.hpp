// The client of threads/serve, which is another process (bench/suite/generator).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "bench/suite/workloads/sockets/generator_process.hpp"
#include "bench/suite/workloads/threads/records.hpp"

namespace loopbench::bench::workloads::detail {

/// The generator, and the beginning and end of the trial. The generator opens its connections twice: first to
/// choose and check the rate, and then for the timed schedule. The second connections begin and end the timed
/// section. All functions can be called from any thread, except start() and prove().
class scheduled_client {
public:
    /// The number of connections that the server accepts in the whole trial.
    static constexpr std::size_t connections_of_trial = 32;

    /// `threads` is the number of the server's threads.
    scheduled_client(thread_records& records, std::size_t threads) : records_(records), threads_(threads) {}

    /// Starts the generator on a core that the server does not use. When the generator and all connections
    /// have ended, calls finish(). Without such a core, marks the trial as unsupported and returns false.
    /// Throws std::system_error.
    bool start(std::uint16_t port, offered_load offered, std::function<void()> finish);

    /// Must be called when the server has accepted a connection, before it reads from the connection.
    void connection_opened();
    /// Must be called when the server has closed a connection.
    void connection_ended();

    /// Checks the work, and reports the results. Must be called after finish().
    void prove();

private:
    static constexpr std::size_t connections = connections_of_trial / 2;

    /// Ends the trial if the generator and all connections have ended. The server learns of the end of the
    /// generator later.
    void finish_at_end();

    thread_records& records_;
    const std::size_t threads_;
    std::function<void()> finish_;
    std::atomic<std::size_t> opened_{0}, ended_{0};
    std::atomic<bool> has_generator_ended_{false};
    generator_process generator_;  // declared last, because its thread uses the members above
};

}  // namespace loopbench::bench::workloads::detail

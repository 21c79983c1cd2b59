// Echo servers in several threads. The clients run in the same threads.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/sockets/same_bytes.hpp"
#include "bench/suite/workloads/threads/chains.hpp"
#include "bench/suite/workloads/threads/records.hpp"
#include "bench/suite/workloads/threads/timers.hpp"
#include "bench/suite/workloads/threads/work.hpp"

namespace loopbench::bench::workloads::detail {

template <ThreadedSockets R>
using threads_task = typename R::template task<void>;

/// The state of clients and sessions. Each client and each session uses only its own entries.
template <ThreadedSockets R>
class echo_service {
public:
    using place = typename R::place;
    using stream = typename R::stream;

    /// `sessions` is the number of connections that the clients open.
    echo_service(R& loops, trial& t, std::size_t clients, std::size_t sessions)
        : runtime(loops),
          records(t, loops.threads(), clients),
          messages(echo_bytes),
          counts_(clients),
          served_(sessions),
          at_line_(clients),
          parts_(clients + sessions) {}

    std::size_t clients() const noexcept { return counts_.size(); }

    /// Serves, and runs client(place, number) for each client.
    template <class Client>
    void run(Client client) {
        port_ = runtime.serve([this](place, stream connection) { return serve(std::move(connection)); });
        for (std::size_t i = 0; i < clients(); ++i)
            runtime.spawn(i % runtime.homes(),
                          [this, i, client](place here) { return until_end(client(here, i)); });
        runtime.run();
    }

    auto connect(const place& here) const { return here.connect(port_); }

    /// Adds `count` parts of the trial, which each call part_ended() at their end. Must be called before the
    /// last part has ended.
    void expect_parts(std::size_t count) { parts_.fetch_add(count, std::memory_order_relaxed); }
    void part_ended() {
        if (parts_.fetch_sub(1, std::memory_order_acq_rel) == 1) runtime.finish();
    }

    /// Waits until all clients have called this function. The last of them calls begin() before the others
    /// continue.
    template <class Begin>
    threads_task<R> meet(place here, std::size_t number, Begin begin) {
        typename R::event start(here);
        at_line_[number] = &start;
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == clients()) {
            begin();
            for (typename R::event* each : at_line_) each->set();
        }
        co_await start.wait();
    }

    /// Makes one round trip. Returns false after an error, which ends the trial.
    threads_task<R> round_trip(stream& connection, std::size_t number, std::uint64_t round, bool& is_right) {
        is_right = false;
        std::array<std::byte, echo_bytes> reply;
        const std::span<const std::byte> request = messages.message(number, round);
        const auto sent = co_await connection.write_all(request);
        int error = sent.error;
        for (std::size_t filled = 0; filled < reply.size() && error == 0;) {
            const auto received = co_await connection.read_some(std::span(reply).subspan(filled));
            error = received.bytes == 0 && received.error == 0 ? ECONNRESET : received.error;
            filled += received.bytes;
        }
        if (error != 0)
            throw std::system_error(error, std::generic_category(), "a client's connection failed");
        is_right = same_bytes(request, reply);
        ++(is_right ? counts_[number].counts.round_trips : counts_[number].counts.wrong_replies);
    }

    std::vector<echo_counts> counts() const {
        std::vector<echo_counts> all;
        for (const own_counts& each : counts_) all.push_back(each.counts);
        return all;
    }
    std::vector<std::uint64_t> served_bytes() const {
        std::vector<std::uint64_t> all;
        for (const unlocked_count& each : served_) all.push_back(each.value);
        return all;
    }

    R& runtime;
    thread_records records;
    const echo_messages messages;

private:
    struct alignas(bytes_apart) own_counts {
        echo_counts counts;
    };

    threads_task<R> until_end(threads_task<R> client) {
        try {
            co_await std::move(client);
        } catch (const std::exception& error) {
            records.fail(error.what());
            runtime.finish();
        }
        part_ended();
    }

    threads_task<R> serve(stream connection) {
        const std::size_t number = sessions_.fetch_add(1, std::memory_order_relaxed);
        if (number >= served_.size()) {
            records.fail("the server accepted more connections than the clients opened");
            co_return runtime.finish();
        }
        std::vector<std::byte> buffer(echo_buffer_bytes_min);
        for (;;) {
            const auto received = co_await connection.read_some(buffer);
            if (received.error != 0 || received.bytes == 0) break;
            const std::uint64_t before = served_[number].value;
            records.operations[this_thread_index()].add();
            const auto sent =
                co_await connection.write_all(std::span<const std::byte>(buffer).first(received.bytes));
            if (sent.error != 0) break;
            served_[number].value = before + received.bytes;
        }
        connection.close();  // otherwise, the client would wait for a reply
        part_ended();
    }

    std::uint16_t port_ = 0;
    std::vector<own_counts> counts_;
    std::vector<unlocked_count> served_;
    std::vector<typename R::event*> at_line_;
    std::atomic<std::size_t> arrived_{0};
    std::atomic<std::size_t> sessions_{0};
    std::atomic<std::size_t> parts_;
};

/// Round trips on all connections at the same time.
template <ThreadedSockets R>
class threads_echo {
public:
    threads_echo(R& loops, trial& t, std::size_t connections)
        : service(loops, t, connections, connections),
          rounds_(operations_each(t, connections)),
          running_(connections) {
        t.did(rounds_ * connections);
    }

    /// Calls begun() at the beginning of the timed section, and ended() after it.
    template <class Begun, class Ended>
    void run(Begun begun, Ended ended) {
        service.run([this, begun, ended](typename R::place here, std::size_t number) {
            return client(here, number, begun, ended);
        });
        prove_echo(service.records.t, service.counts(), service.served_bytes(), rounds_);
        service.records.report();
    }

    echo_service<R> service;

private:
    template <class Begun, class Ended>
    threads_task<R> client(typename R::place here, std::size_t number, Begun begun, Ended ended) {
        thread_records& records = service.records;
        typename R::stream connection = co_await service.connect(here);
        bool is_right = false;
        std::uint64_t round = 0;
        for (; round < warm_up_round_trips; ++round)
            co_await service.round_trip(connection, number, round, is_right);
        co_await service.meet(here, number, [&records, begun] {
            records.begin();
            begun();
        });
        auto start = records.t.start_of_latency();
        for (; round < warm_up_round_trips + rounds_; ++round) {
            co_await service.round_trip(connection, number, round, is_right);
            start = records.record_latency(start);
            records.units[number].add();
        }
        records.keep_shares();
        if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            records.end();
            ended();
        }
    }

    std::uint64_t rounds_;
    std::atomic<std::size_t> running_;
};

/// Connections that are opened, make one round trip, and are closed, by several clients at the same time.
template <ThreadedSockets R>
class threads_accept {
public:
    threads_accept(R& loops, trial& t, std::size_t clients)
        : service_(loops, t, clients, clients * (warm_up_visits + operations_each(t, clients))),
          visits_(operations_each(t, clients)),
          running_(clients) {
        t.did(visits_ * clients);
    }

    void run() {
        service_.run([this](typename R::place here, std::size_t number) { return client(here, number); });
        prove_visits(service_.records.t, service_.counts(), service_.served_bytes(), visits_);
        service_.records.report();
    }

private:
    threads_task<R> visit(typename R::place here, std::size_t number, std::uint64_t round) {
        typename R::stream connection = co_await service_.connect(here);
        bool is_right = false;
        co_await service_.round_trip(connection, number, round, is_right);
    }

    threads_task<R> client(typename R::place here, std::size_t number) {
        thread_records& records = service_.records;
        std::uint64_t round = 0;
        for (; round < warm_up_visits; ++round) co_await visit(here, number, round);
        co_await service_.meet(here, number, [&records] { records.begin(); });
        for (; round < warm_up_visits + visits_; ++round) {
            const auto start = records.t.start_of_latency();
            co_await visit(here, number, round);
            records.record_latency(start);
            records.units[number].add();
        }
        if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) co_return;
        records.end();
        records.keep_shares();
    }

    echo_service<R> service_;
    std::uint64_t visits_;
    std::atomic<std::size_t> running_;
};

/// Round trips, while a clock ticks at each home, and all ticks are counted in one strand.
template <ThreadedSockets R>
class threads_mixed {
public:
    threads_mixed(R& loops, trial& t, std::size_t connections)
        : echo_(loops, t, connections),
          strand_(loops.make_strand(0)),
          clocks_(loops, echo_.service.records, loops.homes(), count_in_strand{*this}) {}

    void run() {
        auto& service = echo_.service;
        service.expect_parts(clocks_.clocks());
        echo_.run(
            [this, &service] {
                clocks_.start(std::numeric_limits<std::uint64_t>::max(),
                              [&service] { service.part_ended(); });
            },
            [this] { clocks_.stop(); });
        prove_ticks(service.records.t, counted_.value, clocks_.clocks());
    }

private:
    struct count_in_strand {
        threads_mixed& all;
        void operator()(std::size_t) const {
            all.echo_.service.expect_parts(1);
            all.strand_.post([&all = all] {
                ++all.counted_.value;
                all.echo_.service.part_ended();
            });
        }
    };

    threads_echo<R> echo_;
    decltype(std::declval<R&>().make_strand(0)) strand_;
    ticking<R, count_in_strand> clocks_;
    unlocked_count counted_;
};

}  // namespace loopbench::bench::workloads::detail

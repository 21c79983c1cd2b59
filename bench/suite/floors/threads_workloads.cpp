#include "bench/suite/floors/threads_workloads.hpp"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/suite/floors/connections.hpp"
#include "bench/suite/floors/threads_epoll.hpp"
#include "bench/suite/floors/waits.hpp"
#include "bench/suite/workloads/sizes.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/sockets/same_bytes.hpp"
#include "bench/suite/workloads/threads/scheduled_client.hpp"
#include "bench/suite/workloads/threads/work.hpp"

namespace loopbench::bench::floors {

namespace {

using workloads::echo_bytes;
using workloads::detail::echo_counts;

/// The way in which a client uses connections.
enum class use {
    one_connection,  // each operation is a round trip on the same connection
    one_per_visit,   // each operation opens a connection, makes a round trip, and closes the connection
};

constexpr std::uint64_t warm_up_of(use how) noexcept {
    return how == use::one_connection ? workloads::warm_up_round_trips : workloads::detail::warm_up_visits;
}

std::size_t connections_of(use how, std::size_t clients, std::uint64_t operations_each) {
    return how == use::one_connection ? clients : clients * (warm_up_of(how) + operations_each);
}

/// Clients in the same threads as the server. The last client that has ended its warm-up begins the timed
/// section, and the last one that has ended its timed operations ends it.
class client_trial : public epoll_threads {
public:
    client_trial(const thread_plan& plan, trial& t, std::size_t clients, use how)
        : epoll_threads(plan, t, clients,
                        connections_of(how, clients, workloads::detail::operations_each(t, clients))),
          how_(how),
          warm_up_(warm_up_of(how)),
          operations_each_(workloads::detail::operations_each(t, clients)),
          messages_(echo_bytes),
          clients_(clients),
          running_(clients) {
        t.did(operations_each_ * clients);
        // Only the main thread opens many connections at once. A thread that did so could block while its own
        // listening socket is full.
        if (how_ == use::one_connection)
            for (client& each : clients_) each.fd = connect_to(port());
    }

    void run_and_prove() {
        run();
        std::vector<echo_counts> counts;
        for (const client& each : clients_) counts.push_back(each.counts);
        if (how_ == use::one_connection)
            workloads::detail::prove_echo(records.t, counts, served_bytes(), operations_each_);
        else
            workloads::detail::prove_visits(records.t, counts, served_bytes(), operations_each_);
        records.report();
    }

protected:
    void readable(std::size_t thread, std::uint64_t number) override {
        client& own = clients_[number];
        const auto space = std::span(own.reply).subspan(own.filled);
        const ssize_t bytes = ::recv(own.fd.get(), space.data(), space.size(), MSG_DONTWAIT);
        if (bytes < 0 && errno == EAGAIN) return;
        if (bytes <= 0) loop::throw_failed("recv", bytes == 0 ? ECONNRESET : errno);
        own.filled += static_cast<std::size_t>(bytes);
        if (own.filled == own.reply.size()) operation_ended(thread, number);
    }

private:
    struct alignas(bytes_apart) client {
        loop::unique_fd fd;
        std::uint64_t done = 0;
        std::size_t filled = 0;
        trial::time_point start{};
        std::array<std::byte, echo_bytes> reply{};
        echo_counts counts{};
    };

    /// Called in each thread when the timed section has begun.
    virtual void timed_section_begins([[maybe_unused]] std::size_t thread) {}

    template <class Use>
    void for_own_clients(std::size_t thread, Use use_client) {
        for (std::size_t i = thread; i < clients_.size(); i += threads()) use_client(i);
    }

    void begin(std::size_t thread) override {
        for_own_clients(thread, [&](std::size_t i) {
            if (how_ == use::one_connection) watch(thread, clients_[i].fd.get(), i);
            begin_operation(thread, i);
        });
    }

    void woken(std::size_t thread) override {
        if (is_finished()) return;
        // Makes the beginning of the records visible to this thread; the number does not matter.
        static_cast<void>(running_.load(std::memory_order_acquire));
        timed_section_begins(thread);
        for_own_clients(thread, [&](std::size_t i) {
            clients_[i].start = records.t.start_of_latency();
            begin_operation(thread, i);
        });
    }

    void begin_operation(std::size_t thread, std::size_t number) {
        client& own = clients_[number];
        own.filled = 0;
        if (how_ == use::one_per_visit) {
            own.fd = connect_to(port());
            watch(thread, own.fd.get(), number);
        }
        if (!send_whole(own.fd.get(), messages_.message(number, own.done))) loop::throw_failed("send");
    }

    void operation_ended(std::size_t thread, std::size_t number) {
        client& own = clients_[number];
        const bool is_right = workloads::same_bytes(messages_.message(number, own.done), own.reply);
        ++(is_right ? own.counts.round_trips : own.counts.wrong_replies);
        if (how_ == use::one_per_visit) own.fd.reset();
        if (++own.done > warm_up_) {
            own.start = records.record_latency(own.start);
            records.units[number].add();
        }
        if (own.done == warm_up_ || own.done == warm_up_ + operations_each_)
            section_ended();
        else
            begin_operation(thread, number);
    }

    void section_ended() {
        const bool is_timed = records.is_timed();
        if (is_timed && how_ == use::one_connection) records.keep_shares();
        if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (is_timed) {
            records.end();
            records.keep_shares();
            finish();
        } else {
            records.begin();
            running_.store(clients_.size(), std::memory_order_release);
            wake_all();
        }
    }

    const use how_;
    const std::uint64_t warm_up_, operations_each_;
    const workloads::detail::echo_messages messages_;
    std::vector<client> clients_;
    std::atomic<std::size_t> running_;
};

/// A strand without a queue. A thread that finds the strand idle runs its functions, which all increment one
/// counter. Other threads leave their functions to this thread.
class counting_strand {
public:
    void post() noexcept {
        if (waiting_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
        do {
            ++counted_;
        } while (waiting_.fetch_sub(1, std::memory_order_acq_rel) != 1);
    }
    std::uint64_t counted() const noexcept { return counted_; }

private:
    alignas(bytes_apart) std::atomic<std::uint64_t> waiting_{0};
    std::uint64_t counted_ = 0;
};

/// Round trips, while a timer of the kernel ticks in each thread, and all ticks are counted in one strand.
class mixed_trial final : public client_trial {
public:
    mixed_trial(const thread_plan& plan, trial& t, std::size_t connections)
        : client_trial(plan, t, connections, use::one_connection), clocks_(plan.threads) {}

    void run_and_prove() {
        client_trial::run_and_prove();
        workloads::detail::prove_ticks(records.t, strand_.counted(), clocks_.size());
    }

private:
    struct alignas(bytes_apart) clock {
        timer_descriptor timer;
        time_point deadline;
        bool has_ended = true;  // or has not begun
    };
    static constexpr std::uint64_t tick = std::uint64_t{1} << 31U;  // a tag above the numbers of the clients

    void timed_section_begins(std::size_t thread) override {
        clock& own = clocks_[thread];
        own.deadline = std::chrono::steady_clock::now() + workloads::timer_period;
        own.has_ended = false;
        watch(thread, own.timer.get(), tick);
        own.timer.arm(own.deadline, workloads::timer_period);
    }

    void readable(std::size_t thread, std::uint64_t tag) override {
        if (tag != tick) return client_trial::readable(thread, tag);
        clock& own = clocks_[thread];
        for (std::uint64_t left = own.timer.take_expirations(); left > 0; --left) {
            records.record_lateness(own.deadline);
            strand_.post();
            own.deadline += workloads::timer_period;
        }
        own.has_ended = is_finished();
    }

    /// A clock ends with the first tick after the end of the timed section, as in the workload.
    bool can_end(std::size_t thread) const override { return clocks_[thread].has_ended; }

    std::vector<clock> clocks_;
    counting_strand strand_;
};

/// An echo server whose client is another process.
class serve_trial final : public epoll_threads {
public:
    serve_trial(const thread_plan& plan, trial& t)
        : epoll_threads(plan, t, 1, workloads::detail::scheduled_client::connections_of_trial),
          client_(records, plan.threads) {}

    void run_and_prove(workloads::detail::offered_load offered) {
        if (!client_.start(port().port(), offered, [this] { finish(); })) return;
        run();
        client_.prove();
    }

private:
    void session_begins() override { client_.connection_opened(); }
    void session_ended() override { client_.connection_ended(); }

    workloads::detail::scheduled_client client_;
};

/// Threads that have nothing to do. Each of them has a far timer.
class idle_trial final : public epoll_threads {
public:
    idle_trial(const thread_plan& plan, trial& t)
        : epoll_threads(plan, t, 1, 0), far_(plan.threads), waiting_(plan.threads), left_(t.operations()) {}

    void run_and_prove() {
        run();
        workloads::detail::prove_idleness(records, far_timers_fired_);
        records.report();
    }

private:
    enum tag : std::uint64_t { far_timer, end_of_wait };

    void begin(std::size_t thread) override {
        watch(thread, far_[thread].get(), far_timer);
        far_[thread].arm(std::chrono::steady_clock::now() + std::chrono::hours(1));
        if (waiting_.fetch_sub(1, std::memory_order_acq_rel) == 1) wake(0);
    }

    void woken(std::size_t thread) override {
        if (is_finished()) return;
        watch(thread, wait_.get(), end_of_wait);
        records.begin();
        wait_again();
    }

    void wait_again() {
        deadline_ = std::chrono::steady_clock::now() + workloads::idle_time_of(records.t);
        wait_.arm(deadline_);
    }

    void readable(std::size_t thread, std::uint64_t which) override {
        if (which == far_timer) {
            far_timers_fired_.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        records.record_lateness(deadline_);
        records.operations[thread].add();
        if (--left_ > 0) return wait_again();
        records.end();
        finish();
    }

    std::vector<timer_descriptor> far_;
    std::atomic<std::size_t> waiting_;
    std::atomic<std::uint64_t> far_timers_fired_{0};
    // Only the first thread uses the following members.
    timer_descriptor wait_;
    time_point deadline_;
    std::uint64_t left_;
};

/// Returns the number after the last colon, or 0 for a name without a colon.
std::size_t parameter_of(std::string_view front) {
    const std::size_t colon = front.rfind(':');
    return colon == std::string_view::npos ? 0 : std::stoul(std::string(front.substr(colon + 1)));
}

}  // namespace

std::function<void(const thread_plan&, trial&)> threads_workload(std::string_view front) {
    const std::size_t value = parameter_of(front);
    if (front.starts_with("threads/echo/"))
        return [value](const thread_plan& plan, trial& t) {
            client_trial(plan, t, value, use::one_connection).run_and_prove();
        };
    if (front.starts_with("threads/accept/"))
        return [value](const thread_plan& plan, trial& t) {
            client_trial(plan, t, value, use::one_per_visit).run_and_prove();
        };
    if (front.starts_with("threads/serve/"))
        return [value](const thread_plan& plan, trial& t) {
            serve_trial(plan, t).run_and_prove({.per_second = static_cast<int>(value)});
        };
    if (front.starts_with("threads/mixed/"))
        return [value](const thread_plan& plan, trial& t) { mixed_trial(plan, t, value).run_and_prove(); };
    if (front == "threads/idle")
        return [](const thread_plan& plan, trial& t) { idle_trial(plan, t).run_and_prove(); };
    return {};
}

std::string_view why_no_threads_workload(std::string_view front) {
    if (front.starts_with("threads/timer/"))
        return "the workload measures a timer queue, which a floor does not have";
    if (front.starts_with("threads/blocking/"))
        return "bare system calls do not decide which threads run the clocks, and the result depends on it";
    return "the workload measures queues of functions; use floor-mutex-queue or floor-stealing-queue instead";
}

}  // namespace loopbench::bench::floors

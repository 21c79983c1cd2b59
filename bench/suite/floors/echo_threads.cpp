#include "bench/suite/floors/echo_threads.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include "bench/suite/floors/echo_floor.hpp"
#include "bench/suite/threads/crew.hpp"
#include "bench/suite/workloads/threads/records.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::floors {

namespace {

using loop::checked;
using loop::unique_fd;
using workloads::detail::thread_records;

enum class section { warm_up, timed, over };

class threads_echo {
public:
    threads_echo(const thread_plan& plan, std::size_t connections, trial& t)
        : records_(t, plan.threads, connections),
          messages_(workloads::echo_bytes),
          rounds_(std::max<std::uint64_t>(1, (t.operations() + connections - 1) / connections)),
          clients_(connections),
          served_bytes_(connections),
          members_(plan.threads),
          listeners_(loop::open_shared_listeners(loop::endpoint::loopback(0), plan.threads)),
          crew_(plan, {.prepare = [this](std::size_t thread) { members_[thread].open(); },
                       .work = [this](std::size_t thread) { work(thread); },
                       .end_work = [this] { enter(section::over); }}) {
        t.did(rounds_ * connections);
        const loop::endpoint peer = loop::local_endpoint(listeners_.front().get());
        for (std::size_t i = 0; i < connections; ++i) {
            clients_[i].fd.reset(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
            const int fd = clients_[i].fd.get();
            checked(::connect(fd, reinterpret_cast<const sockaddr*>(&peer.address()), peer.bytes()),
                    "connect to 127.0.0.1");
            loop::set_no_delay(fd);
        }
    }

    void run() {
        running_.store(clients_.size());
        crew_.run();
        std::vector<workloads::detail::echo_counts> counts;
        for (const client& each : clients_) counts.push_back(each.counts);
        workloads::detail::prove_echo(records_.t, counts, served_bytes_, rounds_);
        records_.report();
    }

private:
    struct alignas(bytes_apart) client {
        unique_fd fd;
        std::uint64_t round = 0;
        std::size_t filled = 0;
        trial::time_point start{};
        std::array<std::byte, workloads::echo_bytes> reply{};
        workloads::detail::echo_counts counts{};
    };

    struct server {
        unique_fd fd;
        std::size_t number;
    };

    // A thread's descriptors. An event's tag is the index of a client, or of a server plus `first_server`.
    struct alignas(bytes_apart) member {
        unique_fd epoll, wake;
        std::vector<server> servers;

        void open() {
            epoll.reset(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"));
            wake.reset(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"));
            watch(wake.get(), woken);
        }
        void watch(int fd, std::uint64_t tag) const {
            epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = tag}};
            checked(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
        }
    };
    static constexpr std::uint64_t first_server = std::uint64_t{1} << 32U, woken = std::uint64_t{1} << 33U;

    // All connections wait in the listening sockets when the threads begin, because connect() has returned.
    void accept_all(std::size_t thread) {
        member& own = members_[thread];
        for (;;) {
            const int fd = ::accept4(listeners_[thread].get(), nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0 && errno == EAGAIN) return;
            unique_fd accepted(checked(fd, "accept"));
            loop::set_no_delay(fd);
            own.watch(fd, first_server + own.servers.size());
            own.servers.push_back({std::move(accepted), accepted_.fetch_add(1)});
        }
    }

    void work(std::size_t thread) {
        member& own = members_[thread];
        accept_all(thread);
        for (std::size_t i = thread; i < clients_.size(); i += members_.size()) {
            own.watch(clients_[i].fd.get(), i);
            send_request(i);
        }
        std::array<epoll_event, 1024> events;
        for (;;) {
            const int count =
                ::epoll_wait(own.epoll.get(), events.data(), static_cast<int>(events.size()), -1);
            if (count < 0 && errno == EINTR) continue;
            for (const epoll_event& each :
                 std::span(events).first(static_cast<std::size_t>(checked(count, "epoll_wait")))) {
                if (each.data.u64 == woken) {
                    if (!enter_next(thread)) return;
                } else if (each.data.u64 >= first_server) {
                    serve(own.servers[each.data.u64 - first_server]);
                } else {
                    receive_reply(each.data.u64);
                }
            }
        }
    }

    // Begins the section that another thread, or this one, has entered. Returns false if the work is over.
    bool enter_next(std::size_t thread) {
        if (section_.load(std::memory_order_acquire) == section::over) return false;
        for (std::size_t i = thread; i < clients_.size(); i += members_.size()) {
            clients_[i].start = records_.t.start_of_latency();
            send_request(i);
        }
        return true;
    }

    void enter(section next) {
        section_.store(next, std::memory_order_release);
        const std::uint64_t one = 1;
        for (const member& each : members_) {
            [[maybe_unused]] const ssize_t written = ::write(each.wake.get(), &one, sizeof one);
        }
    }

    static void send_all(int fd, std::span<const std::byte> bytes) {
        if (::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) !=
            static_cast<ssize_t>(bytes.size()))
            loop::throw_failed("send");
    }

    static std::size_t receive(int fd, std::span<std::byte> to) {
        const ssize_t bytes = ::recv(fd, to.data(), to.size(), MSG_DONTWAIT);
        if (bytes < 0 && errno == EAGAIN) return 0;
        if (bytes <= 0) loop::throw_failed("recv", bytes == 0 ? ECONNRESET : errno);
        return static_cast<std::size_t>(bytes);
    }

    void send_request(std::size_t number) {
        clients_[number].filled = 0;
        send_all(clients_[number].fd.get(), messages_.message(number, clients_[number].round));
    }

    void serve(const server& by) {
        std::array<std::byte, workloads::echo_buffer_bytes_min> buffer;
        const std::size_t bytes = receive(by.fd.get(), buffer);
        if (bytes == 0) return;
        records_.operations[this_thread_index()].add();
        served_bytes_[by.number] += bytes;
        send_all(by.fd.get(), std::span(buffer).first(bytes));
    }

    void receive_reply(std::size_t number) {
        client& own = clients_[number];
        own.filled += receive(own.fd.get(), std::span(own.reply).subspan(own.filled));
        if (own.filled != own.reply.size()) return;
        const bool is_right = workloads::same_bytes(messages_.message(number, own.round), own.reply);
        ++(is_right ? own.counts.round_trips : own.counts.wrong_replies);
        ++own.round;
        const bool is_timed = own.round > workloads::warm_up_round_trips;
        if (is_timed) {
            own.start = records_.record_latency(own.start);
            records_.units[number].add();
        }
        if (own.round == workloads::warm_up_round_trips ||
            own.round == workloads::warm_up_round_trips + rounds_)
            client_ended();
        else
            send_request(number);
    }

    void client_ended() {
        if (records_.is_timed()) records_.keep_shares();
        if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (records_.is_timed()) {
            records_.end();
            enter(section::over);
        } else {
            running_.store(clients_.size(), std::memory_order_relaxed);
            records_.begin();
            enter(section::timed);
        }
    }

    thread_records records_;
    const workloads::detail::echo_messages messages_;
    const std::uint64_t rounds_;
    std::vector<client> clients_;
    std::vector<std::uint64_t> served_bytes_;
    std::vector<member> members_;
    std::vector<unique_fd> listeners_;
    std::atomic<std::size_t> accepted_{0};
    std::atomic<std::size_t> running_{0};
    std::atomic<section> section_{section::warm_up};
    thread_crew crew_;  // declared last, because its threads use all members above
};

}  // namespace

void echo_threads(const thread_plan& plan, std::size_t connections, trial& t) {
    threads_echo(plan, connections, t).run();
}

}  // namespace loopbench::bench::floors

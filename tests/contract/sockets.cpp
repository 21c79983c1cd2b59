// Sockets, pipes and signals that several threads serve. Each object belongs to a strand or to a chain of
// handlers.
#include "tests/clinic/sockets.hpp"

#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/writable_pipe.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <deque>
#include <functional>
#include <memory>

#include "tests/contract/contract.hpp"

namespace contract {

namespace {

using net::ip::tcp;

/// Connects two sockets, which can have strands.
void connect(net::io_context& context, tcp::socket& one, tcp::socket& other) {
    tcp::acceptor acceptor(context, clinic::any_port);
    one.connect(acceptor.local_endpoint());
    acceptor.accept(other);
}

/// An end of a connection with its own strand. Sends and receives bytes at the same time, and verifies those
/// that it receives. Each read re-arms a timeout.
class duplex_end {
public:
    duplex_end(net::io_context& context, latch& finished)
        : socket(net::make_strand(context)), timeout_(socket.get_executor()), finished_(finished) {}

    void start() {
        net::post(socket.get_executor(), [this] {
            read();
            write();
        });
    }

    tcp::socket socket;

private:
    static constexpr std::size_t total = 20'000;
    static char byte_at(std::size_t place) { return static_cast<char>(place * 7 % 251); }

    void read() {
        timeout_.expires_after(1h);
        timeout_.async_wait([this](error_code error) {
            place_.visit();
            check(error == net::error::operation_aborted, "a timeout of an hour expired");
        });
        socket.async_read_some(net::buffer(in_), [this](error_code error, std::size_t count) {
            place_.visit([&] {
                check(!error, "a read failed");
                for (std::size_t i = 0; i < count; ++i)
                    check(in_[i] == byte_at(received_ + i), "a connection returned wrong bytes");
                received_ += count;
                if (received_ < total) return read();
                timeout_.cancel();
                finish();
            });
        });
    }
    void write() {
        for (std::size_t i = 0; i < out_.size(); ++i) out_[i] = byte_at(sent_ + i);
        net::async_write(socket, net::buffer(out_), [this](error_code error, std::size_t count) {
            place_.visit([&] {
                check(!error, "a write failed");
                sent_ += count;
                sent_ < total ? write() : finish();
            });
        });
    }
    void finish() {
        if (received_ == total && sent_ == total) finished_.count_down();
    }

    net::steady_timer timeout_;
    latch& finished_;
    exclusive_place place_;
    std::array<char, 700> in_{};
    std::array<char, 1000> out_{};
    std::size_t received_ = 0, sent_ = 0;
};

// Connections with a strand each transfer bytes in both directions at once, beside a timeout that each read
// re-arms.
CONTRACT_PROGRAM(connections_in_strands_are_full_duplex, 2, 4, 16) {
    constexpr int connections = 16;
    net::io_context context;
    latch finished(2 * connections, "the ends of connections");
    std::deque<duplex_end> ends;
    for (int i = 0; i < connections; ++i) {
        auto& one = ends.emplace_back(context, finished);
        connect(context, one.socket, ends.emplace_back(context, finished).socket);
    }
    for (auto& each : ends) each.start();
    runners running(context, threads);
    finished.wait();
    running.join();
}

// close() and cancel() in the strand of a socket end its read and its wait, each once, although bytes arrive
// at this moment.
CONTRACT_PROGRAM(closing_a_socket_in_its_strand_ends_its_operations_once, 2, 4, 16) {
    struct connection {
        explicit connection(net::io_context& context) : near(net::make_strand(context)), far(context) {
            connect(context, near, far);
        }
        tcp::socket near, far;
        char byte = 0;
        int ended = 0;
    };
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    for (int i = 0; i < 10; ++i) {
        std::deque<connection> all;
        for (int k = 0; k < 16; ++k) all.emplace_back(context);
        latch ended(2 * 16, "the reads of sockets that were closed or cancelled");
        for (auto& each : all)
            net::post(each.near.get_executor(), [&] {
                const auto end = [&](error_code error, std::size_t) {
                    check(!error || error == net::error::operation_aborted,
                          "a closed socket reported another error");
                    ++each.ended;
                    ended.count_down();
                };
                each.near.async_read_some(net::buffer(&each.byte, 1), end);
                each.near.async_wait(tcp::socket::wait_error, [end](error_code error) { end(error, 0); });
            });
        for (auto& each : all) {
            net::post(each.near.get_executor(),
                      [&, closes = i % 2 == 0] { closes ? each.near.close() : each.near.cancel(); });
            net::write(each.far, net::buffer("a", 1));
        }
        ended.wait();
        latch freed(16, "functions of the strands");
        for (auto& each : all)
            net::post(each.near.get_executor(), [&] {
                check_count(each.ended, 2, "ends of the operations of a socket");
                freed.count_down();
            });
        freed.wait();
    }
    guard.reset();
    running.join();
}

// An acceptor has N pending accepts. N clients are accepted, and the N handlers meet.
CONTRACT_PROGRAM(pending_accepts_are_handled_at_once, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    tcp::acceptor acceptor(net::make_strand(context), clinic::any_port);
    for (int round = 0; round < 3; ++round) {
        latch begun(threads, "handlers that begin to accept"), met(threads, "the handlers of other accepts");
        latch left(threads, "the handlers of all accepts");
        for (int i = 0; i < threads; ++i)
            net::post(context, [&] {
                net::dispatch(acceptor.get_executor(), [&] {
                    acceptor.async_accept(net::bind_executor(
                        context.get_executor(), [&](error_code error, const tcp::socket& socket) {
                            check(!error && socket.is_open(), "async_accept failed");
                            met.arrive_and_wait();
                            left.count_down();
                        }));
                    begun.count_down();
                });
            });
        begun.wait();
        std::deque<tcp::socket> clients;
        for (int i = 0; i < threads; ++i) clients.emplace_back(context).connect(acceptor.local_endpoint());
        left.wait();
    }
    guard.reset();
    running.join();
}

// A connect that is cancelled or closed in its strand ends once, either connected or aborted.
CONTRACT_PROGRAM(a_cancelled_connect_ends_once, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    const tcp::acceptor acceptor(context, clinic::any_port);
    const auto address = acceptor.local_endpoint();
    runners running(context, threads);
    for (int i = 0; i < 50; ++i) {
        tcp::socket socket(net::make_strand(context));
        int ends = 0;
        latch ended(1, "a connect that was cancelled"), counted(1, "a function of the strand");
        net::post(socket.get_executor(), [&] {
            socket.async_connect(address, [&](error_code error) {
                check(!error || error == net::error::operation_aborted, "a connect ended with another error");
                ++ends;
                ended.count_down();
            });
        });
        net::post(socket.get_executor(), [&] { i % 2 == 0 ? socket.close() : socket.cancel(); });
        ended.wait();
        net::post(socket.get_executor(), [&] {
            check_count(ends, 1, "ends of a connect");
            counted.count_down();
        });
        counted.wait();
    }
    guard.reset();
    running.join();
}

/// A reader with its own strand, whose reads can be cancelled one by one. It expects the bytes 0 to `count` -
/// 1.
class cancelled_reader {
public:
    cancelled_reader(net::io_context& context, int count, latch& finished)
        : near(net::make_strand(context)), far(context), count_(count), finished_(finished) {
        connect(context, near, far);
    }
    void read() {
        near.async_read_some(
            net::buffer(&byte_, 1),
            net::bind_cancellation_slot(signal_.slot(), [this](error_code error, std::size_t) {
                place_.visit([&] { end(error); });
            }));
    }
    void cancel() {
        place_.visit([&] { signal_.emit(net::cancellation_type::total); });
    }

    tcp::socket near, far;

private:
    void end(error_code error) {
        check(!error || error == net::error::operation_aborted, "a cancelled read ended with another error");
        if (!error) check(byte_ == next_++, "a byte was lost, or came twice");
        next_ < count_ ? read() : finished_.count_down();
    }

    net::cancellation_signal signal_;
    exclusive_place place_;
    char byte_ = 0;
    int next_ = 0;
    const int count_;
    latch& finished_;
};

// Reads of 64 connections are cancelled one by one, with cancellation slots, while bytes arrive. Each byte is
// read once.
CONTRACT_PROGRAM(cancelled_reads_lose_no_bytes, 2, 4, 16) {
    constexpr int connections = 64, bytes = 20;
    net::io_context context;
    latch finished(connections, "all bytes, beside cancelled reads");
    std::deque<cancelled_reader> all;
    for (int i = 0; i < connections; ++i) all.emplace_back(context, bytes, finished);
    for (auto& each : all) net::post(each.near.get_executor(), [&each] { each.read(); });
    runners running(context, threads);
    const std::jthread cancelling([&] {
        for (int i = 0; i < bytes; ++i)
            for (auto& each : all) net::post(each.near.get_executor(), [&each] { each.cancel(); });
    });
    for (char i = 0; i < bytes; ++i)
        for (auto& each : all) net::write(each.far, net::buffer(&i, 1));
    finished.wait();
    running.join();
}

// Groups of two timers in strands end with the first timer, and cancel the other one.
CONTRACT_PROGRAM(parallel_groups_in_strands_end, 2, 4, 16) {
    constexpr int groups = 100;
    struct group {
        explicit group(net::io_context& context)
            : early(net::make_strand(context)), late(early.get_executor(), 1h) {}
        net::steady_timer early, late;
    };
    net::io_context context;
    std::deque<group> all;
    latch ended(groups, "groups of two timers");
    for (int i = 0; i < groups; ++i) {
        auto& each = all.emplace_back(context);
        net::post(each.early.get_executor(), [&, i] {
            each.early.expires_after(std::chrono::microseconds(i));
            net::experimental::make_parallel_group(each.late.async_wait(net::deferred),
                                                   each.early.async_wait(net::deferred))
                .async_wait(
                    net::experimental::wait_for_one(),
                    net::bind_executor(each.early.get_executor(), [&](std::array<std::size_t, 2> order,
                                                                      error_code late, error_code early) {
                        check(order[0] == 1 && !early, "the early timer was not first");
                        check(late == net::error::operation_aborted, "the late timer was not cancelled");
                        ended.count_down();
                    }));
        });
    }
    runners running(context, threads);
    ended.wait();
    running.join();
}

/// A place in a ring: passes each byte from its reading end to its writing end.
template <class Reading, class Writing>
class ring_place {
public:
    explicit ring_place(net::io_context& context) : reading(context), writing(context) {}
    void pass_on(int count) {
        if (count == 0) return;
        net::async_read(reading, net::buffer(&byte_, 1), [this, count](error_code error, std::size_t) {
            check(!error, "a read failed");
            net::async_write(writing, net::buffer(&byte_, 1), [this, count](error_code failure, std::size_t) {
                check(!failure, "a write failed");
                pass_on(count - 1);
            });
        });
    }

    Reading reading;
    Writing writing;

private:
    char byte_ = 0;
};

// Bytes run in circles through pipes and through local sockets, which N threads serve.
CONTRACT_PROGRAM(bytes_run_in_circles_through_pipes_and_local_sockets, 2, 4, 16) {
    constexpr int places = 8, bytes = 4, circles = 20;
    using net::local::stream_protocol;
    net::io_context context;
    std::deque<ring_place<net::readable_pipe, net::writable_pipe>> pipes;
    std::deque<ring_place<stream_protocol::socket, stream_protocol::socket>> sockets;
    for (int i = 0; i < places; ++i) {
        pipes.emplace_back(context);
        sockets.emplace_back(context);
    }
    for (std::size_t i = 0; i < places; ++i) {
        net::connect_pipe(pipes[(i + 1) % places].reading, pipes[i].writing);
        net::local::connect_pair(sockets[(i + 1) % places].reading, sockets[i].writing);
    }
    net::write(pipes[0].writing, net::buffer("abcd", bytes));
    net::write(sockets[0].writing, net::buffer("abcd", bytes));
    for (auto& each : pipes) each.pass_on(bytes * circles);
    for (auto& each : sockets) each.pass_on(bytes * circles);
    runners(context, threads).join();
    std::array<char, bytes> left{};
    net::read(pipes[1].reading, net::buffer(left));
    check(std::string_view(left.data(), bytes) == "abcd", "the bytes in the pipes changed");
    net::read(sockets[1].reading, net::buffer(left));
    check(std::string_view(left.data(), bytes) == "abcd", "the bytes in the sockets changed");
}

// Each of 100 signals calls one handler, in one of N threads.
CONTRACT_PROGRAM(each_signal_calls_one_handler, 1, 2, 4, 16) {
    constexpr int raised = 100;
    net::io_context context;
    net::signal_set signals(context, SIGUSR1, SIGUSR2);
    std::deque<latch> handled;
    for (int i = 0; i < raised; ++i) handled.emplace_back(1, "the handler of a signal");
    std::function<void(std::size_t)> wait = [&](std::size_t place) {
        if (place == handled.size()) return;
        signals.async_wait([&, place](error_code error, int number) {
            check(!error && number == (place % 2 == 0 ? SIGUSR1 : SIGUSR2),
                  "a handler received the wrong signal");
            wait(place + 1);
            handled[place].count_down();
        });
    };
    wait(0);
    runners running(context, threads);
    for (std::size_t i = 0; i < handled.size(); ++i) {
        std::raise(i % 2 == 0 ? SIGUSR1 : SIGUSR2);
        handled[i].wait();
    }
    running.join();
}

// Threads outside run() create, use and destroy timers, acceptors and sockets of their own, all at once. Each
// operation gets its own result, although numbers of descriptors are used again at once.
CONTRACT_PROGRAM(many_threads_use_objects_of_their_own, 1, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    std::vector<std::jthread> users;
    for (int user = 0; user < 4; ++user)
        users.emplace_back([&, user] {
            for (int i = 0; i < 50; ++i) {
                latch ended(3, "a timer, an accept and a read"), aborted(1, "a read of a closed socket");
                net::steady_timer timer(context, std::chrono::microseconds(i));
                timer.async_wait([&](error_code error) {
                    check(!error, "a timer failed");
                    ended.count_down();
                });
                tcp::acceptor acceptor(context, clinic::any_port);
                tcp::socket near(context), far(context);
                acceptor.async_accept(far, [&](error_code error) {
                    check(!error, "async_accept failed");
                    const auto sent = static_cast<char>(user * 50 + i);
                    net::write(far, net::buffer(&sent, 1));
                    ended.count_down();
                });
                near.connect(acceptor.local_endpoint());
                char got = 0;
                near.async_read_some(net::buffer(&got, 1), [&](error_code error, std::size_t) {
                    check(!error && got == static_cast<char>(user * 50 + i),
                          "a socket received bytes of another one");
                    ended.count_down();
                });
                ended.wait();
                near.async_read_some(net::buffer(&got, 1), [&](error_code error, std::size_t) {
                    check(error == net::error::operation_aborted, "close() did not abort the read");
                    aborted.count_down();
                });
                near.close();
                aborted.wait();
            }
        });
    users.clear();
    guard.reset();
    running.join();
}

}  // namespace

}  // namespace contract

// Round trips of one byte between two Unix sockets on one context, with coroutines and with handlers.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

#include "tests/clinic/clinic.hpp"

namespace clinic {

using unix_socket = boost::asio::local::stream_protocol::socket;

inline constexpr int round_trips = 10'000;

/// Reads and writes one byte `times` times, and writes first if `begins` is true. Counts the round trips as
/// steps.
template <class Token>
boost::asio::awaitable<void> play(unix_socket& socket, bool begins, int times, Token token) {
    char byte = 'x';
    const auto buffer = boost::asio::buffer(&byte, 1);
    if (begins) co_await socket.async_write_some(buffer, token);
    for (int i = 0; i < times; ++i) {
        co_await socket.async_read_some(buffer, token);
        if (begins) passed();
        if (!begins || i + 1 < times) co_await socket.async_write_some(buffer, token);
    }
}

/// Does the same as play(), with handlers.
class player {
public:
    player(unix_socket& socket, bool begins, int times) : socket_(socket), begins_(begins), left_(times) {}

    void start() { begins_ ? write() : read(); }

private:
    void read() {
        socket_.async_read_some(boost::asio::buffer(&byte_, 1),
                                [this](boost::system::error_code error, std::size_t) {
                                    if (error) throw boost::system::system_error(error);
                                    --left_;
                                    if (begins_) passed();
                                    if (!begins_ || left_ > 0) write();
                                });
    }
    void write() {
        socket_.async_write_some(boost::asio::buffer(&byte_, 1),
                                 [this](boost::system::error_code error, std::size_t) {
                                     if (error) throw boost::system::system_error(error);
                                     if (left_ > 0) read();
                                 });
    }

    unix_socket& socket_;
    bool begins_;
    int left_;
    char byte_ = 'x';
};

/// Returns the time of the round trips that start(context, one, other) makes, in seconds. Throws if some are
/// missing.
template <class Start>
double seconds_of_round_trips(Start start) {
    boost::asio::io_context context(1);
    unix_socket one(context), other(context);
    boost::asio::local::connect_pair(one, other);
    const long before = steps;
    const double seconds = seconds_of([&] { start(context, one, other); });
    if (steps - before != round_trips) throw std::runtime_error("some round trips are missing");
    return seconds;
}

inline double seconds_with_handlers() {
    return seconds_of_round_trips([](auto& context, auto& one, auto& other) {
        player first(one, true, round_trips), second(other, false, round_trips);
        first.start();
        second.start();
        context.run();
    });
}

template <class Token>
double seconds_with_coroutines(Token token) {
    return seconds_of_round_trips([&](auto& context, auto& one, auto& other) {
        boost::asio::co_spawn(context, play(one, true, round_trips, token), boost::asio::detached);
        boost::asio::co_spawn(context, play(other, false, round_trips, token), boost::asio::detached);
        context.run();
    });
}

}  // namespace clinic

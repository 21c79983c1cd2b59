// Two threads take turns, and in each turn, a thread works with an io_context or a loop of its own: timers
// expire, functions are posted, and bytes go through a socket. The arguments are the kind, and the number of
// turns of each thread:
// - contexts: an io_context that the thread has made (this project's, if the drop-in header is included)
// - contexts_of_one_thread: one thread has made both contexts, and has started their first operations
// - contexts_with_a_number: the same as contexts, but both threads also write a number
// - loop-epoll, loop-uring: a loop of this project
// The exit code is 77 if the kernel refuses io_uring.
#include <array>
#include <boost/asio.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loop/designs.hpp"
#include "loop/io/drivers.hpp"
#include "loop/net/stream.hpp"
#include "tests/counting/turns.hpp"

// Visible to other files, because a compiler removes the writes to a variable that nothing can read.
alignas(loopbench::bench::bytes_apart) long number_of_both;

namespace {

namespace asio = boost::asio;
using loopbench::loop::event_loop;

constexpr std::size_t timers = 20, bytes = 8;

/// The context of a thread, and its timers and sockets.
class alignas(loopbench::bench::bytes_apart) context_user {
public:
    context_user() {
        asio::local::connect_pair(here_, there_);
        for (std::size_t i = 0; i < timers; ++i) timers_.push_back(std::make_unique<timer>(context_));
        begin();
    }

    void work() {
        context_.run();
        context_.restart();
        begin();
    }

private:
    struct alignas(loopbench::bench::bytes_apart) timer : asio::steady_timer {
        using asio::steady_timer::steady_timer;
    };

    void begin() {
        for (const auto& each : timers_) {
            each->expires_after(std::chrono::nanoseconds(1));
            each->async_wait([](boost::system::error_code) {});
            asio::post(context_, [] {});
        }
        asio::async_write(here_, asio::buffer(sent_), [](boost::system::error_code, std::size_t) {});
        asio::async_read(there_, asio::buffer(received_), [](boost::system::error_code, std::size_t) {});
    }

    asio::io_context context_{1};
    std::vector<std::unique_ptr<timer>> timers_;
    asio::local::stream_protocol::socket here_{context_}, there_{context_};
    std::array<char, bytes> sent_{}, received_{};
};

loopbench::loop::task<void> send(event_loop& loop, std::uint16_t port) {
    loopbench::loop::stream to = co_await loop.connect(port);
    co_await to.write_all(std::array<std::byte, bytes>{});
}

loopbench::loop::task<void> receive(loopbench::loop::listener& from) {
    loopbench::loop::stream accepted = co_await from.accept();
    std::array<std::byte, bytes> received;
    co_await accepted.read_some(received);
}

/// The loop of a thread, with the same work. A loop always runs in the same thread, so each thread makes its
/// own.
class alignas(loopbench::bench::bytes_apart) loop_user {
public:
    explicit loop_user(std::string_view design)
        : loop_(loopbench::loop::make_loop(design)), listener_(loop_->listen()), port_(listener_.port()) {}

    void work() {
        for (std::size_t i = 0; i < timers; ++i) {
            loop_->call_later(std::chrono::nanoseconds(1), [] {});
            loop_->call_soon([] {});
        }
        loop_->spawn(send(*loop_, port_));
        loop_->spawn(receive(listener_));
        loop_->run_until_idle();
    }

private:
    std::unique_ptr<event_loop> loop_;
    loopbench::loop::listener listener_;
    std::uint16_t port_;
};

/// Makes the two users that no thread has made yet, and works with them in turns.
template <class User, class Make>
void take_turns(std::array<std::unique_ptr<User>, 2>& users, long turns, bool writes_a_number, Make make) {
    loopbench::bench::take_turns(turns, [&users, writes_a_number, make](std::size_t me, long turn) {
        if (writes_a_number) number_of_both = turn;
        if (users[me] == nullptr) users[me] = make();
        users[me]->work();
    });
}

void work_apart(const std::string& kind, long turns) {
    if (kind.starts_with("loop-")) {
        std::array<std::unique_ptr<loop_user>, 2> users;
        return take_turns(users, turns, false, [kind] { return std::make_unique<loop_user>(kind); });
    }
    std::array<std::unique_ptr<context_user>, 2> users;
    const auto make = [] { return std::make_unique<context_user>(); };
    if (kind == "contexts_of_one_thread")
        for (auto& each : users) each = make();
    take_turns(users, turns, kind == "contexts_with_a_number", make);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return 2;
    const std::string kind = arguments[1];
    const char* const design = std::getenv("LOOPBENCH_ASIO");
    if (kind == "loop-uring" || (design != nullptr && std::string_view(design) == "io_uring")) {
        if (const std::string refusal = loopbench::loop::io_uring_refusal(); !refusal.empty()) {
            std::fprintf(stderr, "%s\n", refusal.c_str());
            return 77;
        }
    }
    work_apart(kind, std::atol(arguments[2]));
    return 0;
}

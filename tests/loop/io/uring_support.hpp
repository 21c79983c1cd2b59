#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loop/io/drivers.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::loop {

class uring_tests : public testing::Test {
protected:
    void SetUp() override {
        if (const std::string refusal = io_uring_refusal(); !refusal.empty()) GTEST_SKIP() << refusal;
    }
};

/// Both ends of a non-blocking Unix stream. Sent data can be received as soon as send(2) has returned.
struct socket_pair {
    socket_pair() {
        int fds[2];
        checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), "socketpair");
        ours.reset(fds[0]);
        theirs.reset(fds[1]);
    }

    ssize_t send(std::string_view text) const {
        return ::send(theirs.get(), text.data(), text.size(), MSG_NOSIGNAL);
    }

    std::string receive() const {
        std::string all;
        std::string part(65'536, '\0');
        for (ssize_t bytes; (bytes = ::recv(theirs.get(), part.data(), part.size(), 0)) > 0;)
            all.append(part, 0, static_cast<std::size_t>(bytes));
        return all;
    }

    unique_fd ours;
    unique_fd theirs;
};

struct counted_operation : io_operation {
    counted_operation(io_kind what, int descriptor, std::size_t bytes = 64) : buffer(bytes, '\0') {
        kind = what;
        fd = descriptor;
        data = reinterpret_cast<std::byte*>(buffer.data());
        size = bytes;
        complete = [](operation* op, completion) { ++static_cast<counted_operation*>(op)->completions; };
    }
    counted_operation(const counted_operation&) = delete;
    counted_operation& operator=(const counted_operation&) = delete;

    std::string_view received() const {
        return std::string_view(buffer).substr(0, result < 0 ? 0 : static_cast<std::size_t>(result));
    }

    std::string buffer;
    int completions = 0;
};

struct bare_driver {
    explicit bare_driver(const uring_limits& limits = {})
        : owner(make_limited_io_uring_driver(ready, limits)) {}

    void start(counted_operation& op) {
        if (driver.start(op)) ready.push(op);
    }

    void run_ready() {
        while (!ready.empty()) {
            operation& op = ready.pop();
            op.complete(&op, completion::run);
        }
    }

    void look() {
        driver.wait(do_not_wait);
        run_ready();
    }

    void run(std::span<counted_operation* const> all) {
        const time_point give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        run_ready();
        for (const counted_operation* op : all) {
            while (op->completions == 0) {
                ASSERT_LT(std::chrono::steady_clock::now(), give_up) << "an operation never completed";
                driver.wait(give_up);
                run_ready();
            }
        }
    }
    void run(counted_operation& op) {
        counted_operation* const one[] = {&op};
        run(one);
    }

    void finish(counted_operation& op) {
        start(op);
        run(op);
    }

    ready_queue ready;
    std::unique_ptr<io_uring_driver> owner;
    io_uring_driver& driver = *owner;
};

}  // namespace loopbench::loop

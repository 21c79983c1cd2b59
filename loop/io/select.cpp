// The driver uses select(2). Some facts about select are surprising:
// - A descriptor number of 1024 or more does not fit into an fd_set; setting its bit would write past the end
//   of the set (AMQP-CPP#378). This driver refuses such a descriptor.
// - The timeout of pselect(2) is in nanoseconds, and is late by the thread's timer slack, 50 us by default.
// - A hang-up is not reported separately: the descriptor becomes readable, and the read returns the end of
//   the stream or the error.

#include <sys/select.h>

#include <algorithm>

#include "loop/io/drivers.hpp"
#include "loop/io/readiness.hpp"
#include "loop/io/waiting.hpp"

namespace loopbench::loop {

namespace {

class select_driver final : public readiness_driver {
public:
    explicit select_driver(ready_queue& ready) : readiness_driver(ready, /*edge_triggered=*/false) {
        expect_to_fit(wake_.fd());
        FD_ZERO(&readers_);
        FD_ZERO(&writers_);
        FD_SET(wake_.fd(), &readers_);
    }

    /// Starts the operation. If select cannot watch the descriptor, throws an exception and does not start
    /// the operation, even if the descriptor is ready.
    bool start(io_operation& op) override {
        expect_to_fit(op.fd);
        return readiness_driver::start(op);
    }

    void wake() noexcept override { wake_.set(); }

    void wait_for_reports(time_point deadline) override {
        fd_set readable = readers_;
        fd_set writable = writers_;
        timespec storage;
        const timespec* const timeout = relative_timeout(deadline, storage);
        const int count = ::pselect(highest_ + 1, &readable, &writable, nullptr, timeout, nullptr);
        if (count < 0 && errno != EINTR) throw_failed("pselect");
        if (count <= 0) return;
        if (FD_ISSET(wake_.fd(), &readable)) wake_.clear();
        FD_CLR(wake_.fd(), &readable);
        for (int fd = 0, highest = highest_; fd <= highest; ++fd) {  // a copy: report() may lower highest_
            const bool in = FD_ISSET(fd, &readable);
            const bool out = FD_ISSET(fd, &writable);
            if (in || out)
                report({.fd = fd, .generation = generation_of(fd), .in = in, .out = out, .hung_up = false});
        }
    }

private:
    static void expect_to_fit(int fd) {
        if (fd < FD_SETSIZE) [[likely]]
            return;
        throw_errno("select cannot watch descriptor " + std::to_string(fd) + ", only descriptors below " +
                        std::to_string(FD_SETSIZE) +
                        "; open fewer files, or use a design on poll, epoll or io_uring",
                    EINVAL);
    }

    void watch(int fd, bool in, bool out) override {
        in ? FD_SET(fd, &readers_) : FD_CLR(fd, &readers_);
        out ? FD_SET(fd, &writers_) : FD_CLR(fd, &writers_);
        highest_ = std::max(highest_, fd);
        // The search ends at the descriptor of wake_ at the latest, because that one is always watched.
        while (!FD_ISSET(highest_, &readers_) && !FD_ISSET(highest_, &writers_)) --highest_;
    }

    wake_event wake_;
    fd_set readers_;
    fd_set writers_;
    int highest_ = wake_.fd();
};

}  // namespace

std::unique_ptr<driver> make_select_driver(ready_queue& ready) {
    return std::make_unique<select_driver>(ready);
}

}  // namespace loopbench::loop

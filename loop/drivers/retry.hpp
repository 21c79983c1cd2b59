// No driver at all: whatever would block is tried again on every turn.
//
// Document 001's loop has no selector; a task that cannot go on is asked again until it can. Carried over to
// I/O that means one system call per waiting operation and turn: what select was invented to avoid.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "loop/drivers/driver.hpp"

namespace loopbench::loop {

class retry_driver {
public:
    explicit retry_driver(operation_queue& ready) noexcept : ready_(ready) {}

    bool start(io_operation& op) {
        op.result = attempt(op);
        if (op.result != -EAGAIN) return true;
        op.pending = true;
        waiting_.push_back(&op);
        return false;
    }

    void cancel(io_operation& op) {
        abandon(op);
        complete(op, -ECANCELED);
    }

    void abandon(io_operation& op) noexcept {
        op.pending = false;
        std::erase(waiting_, &op);
    }

    void forget(int fd) {
        finish_those([fd](io_operation& op) {
            if (op.fd == fd) op.result = -ECANCELED;
            return op.fd == fd;
        });
        ++generation_of(fd);
    }

    void release(int) noexcept {}  // nothing is remembered

    /// Never sleeps, whatever the deadline.
    void wait(time_point) {
        finish_those([](io_operation& op) {
            op.result = attempt(op);
            return op.result != -EAGAIN;
        });
    }

    std::uint32_t generation(int fd) { return generation_of(fd); }
    std::size_t in_flight() const noexcept { return waiting_.size(); }
    void wake() noexcept {}

private:
    std::uint32_t& generation_of(int fd) {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= generations_.size()) generations_.resize(2 * index + 16);
        return generations_[index];
    }

    template <class Finish>
    void finish_those(Finish finished) {
        std::erase_if(waiting_, [&](io_operation* op) {
            if (!finished(*op)) return false;
            complete(*op, op->result);
            return true;
        });
    }

    void complete(io_operation& op, std::int64_t result) {
        op.pending = false;
        op.result = result;
        ready_.push(op);
    }

    operation_queue& ready_;
    std::vector<io_operation*> waiting_;
    std::vector<std::uint32_t> generations_;  // by fd
};

static_assert(Driver<retry_driver>);

}  // namespace loopbench::loop

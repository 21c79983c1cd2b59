// No driver at all: whatever would block is tried again on every turn.
//
// Document 001's loop has no selector; a task that cannot go on is asked again until it can. Carried over to
// I/O that means one system call per waiting operation and turn: what select was invented to avoid.

#include <cerrno>
#include <vector>

#include "loop/io/drivers.hpp"
#include "loop/io/io.hpp"

namespace loopbench::loop {

namespace {

bool try_now(io_operation& op) noexcept {
    op.result = attempt(op);
    const bool part_of_whole = op.whole && op.result >= 0 && op.moved < op.size;
    return op.result != -EAGAIN && !part_of_whole;
}

class retry_driver final : public driver {
public:
    explicit retry_driver(ready_queue& ready) noexcept : driver(ready) {}

    bool start(io_operation& op) override;
    void cancel(io_operation& op) noexcept override;
    void discard(io_operation& op) noexcept override;
    void close(int fd) noexcept override;
    void unwatch(int) noexcept override {}  // nothing is kept
    /// Never sleeps, whatever the deadline.
    void wait(time_point deadline) override;
    void wake() noexcept override {}

private:
    std::vector<io_operation*> waiting_;
};

bool retry_driver::start(io_operation& op) {
    if (try_now(op)) return true;
    waiting_.push_back(&op);
    set_pending(op);
    return false;
}

void retry_driver::cancel(io_operation& op) noexcept {
    std::erase(waiting_, &op);
    complete(op, -ECANCELED);
}

void retry_driver::discard(io_operation& op) noexcept {
    std::erase(waiting_, &op);
    set_not_pending(op);
}

void retry_driver::close(int fd) noexcept {
    std::erase_if(waiting_, [&](io_operation* op) {
        if (op->fd != fd) return false;
        complete(*op, -ECANCELED);
        return true;
    });
}

void retry_driver::wait(time_point) {
    std::erase_if(waiting_, [&](io_operation* op) {
        if (!try_now(*op)) return false;
        complete(*op, op->result);
        return true;
    });
}

}  // namespace

std::unique_ptr<driver> make_retry_driver(ready_queue& ready) {
    return std::make_unique<retry_driver>(ready);
}

}  // namespace loopbench::loop

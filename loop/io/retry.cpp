// The driver of loop-round-robin (tutorial 001) has no selector: on every turn, it tries all waiting
// operations again, with one system call for each operation.

#include <vector>

#include "loop/io/drivers.hpp"

namespace loopbench::loop {

namespace {

class retry_driver final : public driver {
public:
    explicit retry_driver(ready_queue& ready) noexcept : driver(ready) {}

    bool start(io_operation& op) override {
        if (attempt(op)) return true;
        waiting_.push_back(&op);
        set_pending(op);
        return false;
    }

    void discard(io_operation& op) noexcept override {
        std::erase(waiting_, &op);
        set_not_pending(op);
    }

    void close(int fd) noexcept override {
        std::erase_if(waiting_, [&](io_operation* op) {
            if (op->fd == fd) complete(*op, -ECANCELED);
            return !op->pending;
        });
    }

    /// Tries all waiting operations once. Never sleeps, even if the deadline has not passed yet.
    void wait(time_point) override {
        std::erase_if(waiting_, [&](io_operation* op) {
            if (attempt(*op)) complete(*op, op->result);
            return !op->pending;
        });
    }

    void wake() noexcept override {}

private:
    std::vector<io_operation*> waiting_;
};

}  // namespace

std::unique_ptr<driver> make_retry_driver(ready_queue& ready) {
    return std::make_unique<retry_driver>(ready);
}

}  // namespace loopbench::loop

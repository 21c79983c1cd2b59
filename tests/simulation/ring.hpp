// The simulated kernel's io_uring, with the options that the loop uses (IORING_SETUP_DEFER_TASKRUN,
// SINGLE_ISSUER). Requests complete only when the loop enters the kernel (io_uring_enter). Each such call
// completes at most 20 waiting requests. A flag in the ring tells the loop that another call can complete a
// request.
#pragma once

#include <liburing.h>

#include <array>
#include <list>
#include <memory>
#include <vector>

#include "tests/simulation/kernel.hpp"

namespace loopbench::simulation {

class ring {
public:
    /// Initializes `shown`, the structure that liburing's inline functions use.
    ring(kernel& of, io_uring& shown, unsigned submissions, unsigned completions);
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;
    ~ring();

    void add_buffers(const io_uring_buf_reg& registered);
    /// Submits and completes requests. Returns the number of submitted requests, or a negated errno.
    int enter(io_uring& shown, unsigned completions_wanted);
    void look_again(const file& changed) noexcept;

private:
    struct order {
        explicit order(const io_uring_sqe& submitted) noexcept;
        explicit order(std::uint64_t timeout) noexcept : user_data(timeout) {}

        std::uint8_t opcode = IORING_OP_NOP;
        std::uint64_t user_data;
        int fd = -1;
        std::uint64_t address = 0;
        std::uint64_t second_address = 0;
        std::uint32_t length = 0;
        std::uint32_t flags = 0;
        std::uint16_t more_flags = 0;
    };
    struct request {
        order what;
        std::shared_ptr<file> on;
        bool is_started = false;
        bool may_go_on = false;
    };
    using requests = std::list<request>;

    void take(const order& submitted);
    void let_go_on(request& each) noexcept;
    void go_on();
    bool advance(request& each);
    bool receive(request& each);
    void cancel(const order& asked);
    int update_timeout(const order& asked);
    void set_timeout(const order& asked);
    void complete(const order& of, int result, unsigned flags = 0);
    void end(requests::iterator ended);

    kernel& kernel_;
    unsigned submissions_taken_ = 0;  // shared with liburing, like the next four members
    unsigned submissions_made_ = 0;
    unsigned flags_ = 0;
    unsigned completions_taken_ = 0;
    unsigned completions_made_ = 0;
    // The queues are raw memory, because the kernel's structures end with flexible arrays.
    std::vector<std::array<std::uint64_t, 8>> submissions_;
    std::vector<std::array<std::uint64_t, 2>> completions_;
    requests pending_;
    std::uint64_t timeout_ = 0;  // the pending timeout's user_data; 0: no timeout is pending
    unsigned setting_ = 0;
    bool has_timed_out_ = false;
    io_uring_buf_ring* buffers_ = nullptr;
    unsigned buffer_mask_ = 0;
    std::uint16_t buffers_used_ = 0;
};

}  // namespace loopbench::simulation

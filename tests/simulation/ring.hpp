// The io_uring of the simulated kernel, as the loop sets it up (IORING_SETUP_DEFER_TASKRUN, SINGLE_ISSUER):
// nothing completes but inside of an entry, at most about twenty requests at one, and a flag in the ring says
// that an entry would bring something.
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
    /// Makes `shown` what liburing's inline functions work on.
    ring(kernel& of, io_uring& shown, unsigned submissions, unsigned completions);
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;
    ~ring();

    void add_buffers(const io_uring_buf_reg& registered);
    /// io_uring_enter(2), with what liburing says of it: how many requests were taken, or a negated errno.
    int enter(io_uring& shown, unsigned completions_wanted);
    /// The file has changed: requests that wait for it may go on.
    void look_again(const file& changed) noexcept;

private:
    /// Of an io_uring_sqe what these operations need.
    struct order {
        explicit order(const io_uring_sqe& submitted) noexcept;
        explicit order(std::uint64_t timeout) noexcept : user_data(timeout) {}

        std::uint8_t opcode = IORING_OP_NOP;
        std::uint64_t user_data;
        int fd = -1;
        std::uint64_t address = 0;
        std::uint64_t second_address = 0;
        std::uint32_t length = 0;
        std::uint32_t flags = 0;  // of the operation
        std::uint16_t more_flags = 0;
    };
    struct request {
        order what;
        std::shared_ptr<file> on;  // of those that have a file
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
    unsigned submissions_taken_ = 0;  // the words that the ring shares with the process
    unsigned submissions_made_ = 0;
    unsigned flags_ = 0;
    unsigned completions_taken_ = 0;
    unsigned completions_made_ = 0;
    // As memory: the kernel's structures end with arrays of no size.
    std::vector<std::array<std::uint64_t, 8>> submissions_;
    std::vector<std::array<std::uint64_t, 2>> completions_;
    requests pending_;
    std::uint64_t timeout_ = 0;  // the user_data of the one that is set; 0 is none
    unsigned setting_ = 0;       // of it
    bool has_timed_out_ = false;
    io_uring_buf_ring* buffers_ = nullptr;
    unsigned buffer_mask_ = 0;
    std::uint16_t buffers_used_ = 0;
};

}  // namespace loopbench::simulation

// The driver from its set-up to its end, and its turn: one entry into the kernel. Where an operation goes is
// in io_uring_submit.cpp, how it comes back in io_uring_complete.cpp, and what arrives unasked in
// io_uring_feed.cpp.
#include "loop/drivers/io_uring.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <system_error>

#include "loop/system_error.hpp"

namespace loopbench::loop {

std::string io_uring_refusal() {
    try {
        operation_queue ready;
        const io_uring_driver probe(ready, {.submissions = 2, .completions = 4, .buffers = 1});
        return {};
    } catch (const std::system_error& refusal) {
        return refusal.what();
    }
}

io_uring_driver::io_uring_driver(operation_queue& ready, const uring_limits& limits)
    : ready_(ready),
      ring_(limits),
      buffers_(ring_.native(), limits.buffers),
      wake_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    arm_wake();
}

io_uring_driver::~io_uring_driver() {
    for (descriptor& d : descriptors_) discard_arrived(d);
    ring_.cancel_all();
    for (uring_completion last; ring_.take(last);)
        if (last.tag >> 56 == static_cast<std::uint64_t>(owner::listener) && last.result >= 0)
            ::close(last.result);
}

std::uint64_t io_uring_driver::tag(owner whose, std::uint32_t generation, std::uint32_t index) noexcept {
    return std::uint64_t{static_cast<std::uint8_t>(whose)} << 56 |
           std::uint64_t{generation & generation_mask} << 32 | index;
}

void io_uring_driver::wait(time_point deadline) {
    if (deadline > time_point{} && !ring_.has_completions()) {
        arm_timer(deadline);
        ring_.enter_and_sleep();
    } else if (ring_.has_reason_to_enter()) {
        ring_.enter();
    }
    uring_completion completion;
    while (ring_.take(completion)) on_completion(completion);
    // Only now, so that a reader gets a message whole that came in several buffers, and does not answer each
    // of them.
    for (const int fd : fed_) serve(fd, descriptor_of(fd));
    fed_.clear();
}

void io_uring_driver::wake() noexcept {
    // Never read: every write is an event for a multishot poll, and the counter would take 2^64 of them.
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_.get(), &one, sizeof one));
}

void io_uring_driver::arm_wake() {
    io_uring_sqe& entry = ring_.submission();
    io_uring_prep_poll_multishot(&entry, wake_.get(), POLLIN);
    entry.user_data = tag(owner::wake, 0, 0);
}

// Sets the kernel's timer, unless it is going to fire before the deadline anyway: then the wait ends early,
// once, and the next one sets it.
void io_uring_driver::arm_timer(time_point deadline) {
    if (deadline >= armed_) return;
    const auto since_boot = deadline.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
    timeout_ = {.tv_sec = seconds.count(), .tv_nsec = (since_boot - seconds).count()};
    io_uring_sqe& entry = ring_.submission();
    if (armed_ == never) {
        io_uring_prep_timeout(&entry, &timeout_, 0, IORING_TIMEOUT_ABS);
        entry.user_data = tag(owner::timer, 0, 0);
    } else {
        // When the timer has fired meanwhile this fails, and its completion ends the wait.
        io_uring_prep_timeout_update(&entry, &timeout_, tag(owner::timer, 0, 0), IORING_TIMEOUT_ABS);
        entry.user_data = tag(owner::nobody, 0, 0);
    }
    armed_ = deadline;
}

}  // namespace loopbench::loop

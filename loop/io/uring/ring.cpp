#include "loop/io/uring/ring.hpp"

#include <sys/utsname.h>

#include <atomic>
#include <fstream>

#include "loop/io/fd.hpp"

namespace loopbench::loop {

namespace {

constexpr unsigned setup_flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                                 IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_R_DISABLED |
                                 IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE;

constexpr int attempts_max = 1000;
constexpr auto no_thread = static_cast<std::uint64_t>(-1);

// Returns a number that identifies the calling thread and, unlike a thread ID, is never reused.
std::uint64_t number_of_this_thread() noexcept {
    static constinit std::atomic<std::uint64_t> last{0};
    static constinit thread_local std::uint64_t number = 0;
    if (number == 0) [[unlikely]]
        number = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return number;
}

std::string forbidden() {
    std::ifstream file("/proc/sys/kernel/io_uring_disabled");
    int setting = 0;
    if (file >> setting && setting != 0) {
        return "the sysctl kernel.io_uring_disabled is " + std::to_string(setting) +
               "; set it to 0 (sysctl -w kernel.io_uring_disabled=0)";
    }
    return "a seccomp filter forbids io_uring (the default profiles of containers do); run the container "
           "with "
           "--security-opt seccomp=unconfined, or with a profile that allows io_uring_setup, io_uring_enter "
           "and "
           "io_uring_register";
}

std::string cause_and_remedy(int error) {
    utsname system{};
    ::uname(&system);
    const std::string kernel = std::string("this kernel (") + system.release + ") ";
    switch (error) {
        case ENOSYS:
            return kernel +
                   "was built without io_uring, or a sandbox hides io_uring; use Linux 6.1 or later with "
                   "CONFIG_IO_URING, outside the sandbox";
        case EPERM:
        case EACCES:
            return forbidden();
        case EINVAL:
            return kernel +
                   "refuses to create the ring: the kernel is older than 6.1, a sandbox supports fewer "
                   "flags, or the limits of the ring are wrong (1 to 32768 submissions, and at least as many "
                   "completions); use a design on epoll";
        case ENOMEM:
            return "there is not enough memory, or the process reached its limit on locked memory; raise the "
                   "limit (ulimit -l)";
        case EMFILE:
        case ENFILE:
            return "no file descriptors are left; raise the limit on open files (ulimit -n)";
        default:
            return "the cause is unknown; use a design on epoll";
    }
}

}  // namespace

uring_ring::uring_ring(const uring_limits& limits) : limits_(limits), ring_(open(limits)) {}

io_uring uring_ring::open(const uring_limits& limits) {
    io_uring_params parameters{};
    parameters.flags = setup_flags;
    parameters.cq_entries = limits.completions;
    io_uring opened;
    const int error = -io_uring_queue_init_params(limits.submissions, &opened, &parameters);
    if (error <= 0) return opened;
    // The kernel returns EINVAL for an unknown flag. The exception contains ENOSYS instead, which means that
    // the driver cannot use this kernel's io_uring.
    throw_errno("io_uring refused: " + cause_and_remedy(error), error == EINVAL ? ENOSYS : error);
}

uring_ring::~uring_ring() {
    io_uring_queue_exit(&ring_);
}

void uring_ring::replace(const io_uring& fresh) noexcept {
    io_uring_queue_exit(&ring_);
    ring_ = fresh;
    outstanding_ = 0;
    owner_ = 0;
    lost_ = 0;
}

void uring_ring::disown() noexcept {
    owner_ = no_thread;
}

void uring_ring::enable() {
    // liburing 2.3 declares io_uring_enable_rings(), but its shared library does not export the function.
    // Therefore the ring is enabled through io_uring_register().
    const int error =
        -io_uring_register(static_cast<unsigned>(ring_.ring_fd), IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
    if (error != 0) throw_failed("io_uring_enable_rings", error);
    // io_uring_register_ring_fd() is not called. It would save the kernel a look-up at each entry, but the
    // thread would then keep the ring and the files of its requests open, even after the ring is closed.
    owner_ = number_of_this_thread();
}

bool uring_ring::runs_in_this_thread() const noexcept {
    return !is_enabled() || owner_ == number_of_this_thread();
}

// Enters the kernel and returns an errno, or 0. A lack of memory for requests or completions is not an error,
// because handling completions frees memory; the next entry submits the remaining requests.
int uring_ring::try_enter(unsigned completions_wanted) noexcept {
    if (owner_ != number_of_this_thread()) [[unlikely]]
        lost_ = EEXIST;
    if (lost_ != 0) [[unlikely]]
        return lost_;
    ++entries_;
    const int result = completions_wanted == 0 ? io_uring_submit_and_get_events(&ring_)
                                               : io_uring_submit_and_wait(&ring_, completions_wanted);
    return result >= 0 || result == -EINTR || result == -EAGAIN || result == -EBUSY ? 0 : -result;
}

void uring_ring::enter(unsigned completions_wanted) {
    const int error = try_enter(completions_wanted);
    if (error == EEXIST)
        throw_errno(
            "io_uring_enter: two threads used the loop; run the loop, and destroy its objects, in the same "
            "thread",
            error);
    if (error != 0) throw_failed("io_uring_enter", error);
}

void uring_ring::enter_if_needed() {
    constexpr unsigned kept_by_the_kernel = IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW;
    if (io_uring_sq_ready(&ring_) != 0 || (IO_URING_READ_ONCE(*ring_.sq.kflags) & kept_by_the_kernel) != 0)
        enter();
}

// Enters the kernel until all requests are submitted and none of the `unwanted` flags of the ring is set.
bool uring_ring::enter_until_without(unsigned unwanted) noexcept {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        if (!is_enabled() || try_enter(0) != 0) return false;
        if (io_uring_sq_ready(&ring_) == 0 && (IO_URING_READ_ONCE(*ring_.sq.kflags) & unwanted) == 0)
            return true;
    }
    return false;
}

bool uring_ring::withdraw(std::uint64_t user_data, std::uint64_t instead) noexcept {
    const unsigned end = ring_.sq.sqe_tail;
    for (unsigned place = end - io_uring_sq_ready(&ring_); place != end; ++place) {
        io_uring_sqe& entry = ring_.sq.sqes[place & ring_.sq.ring_mask];
        if (entry.user_data != user_data) continue;
        io_uring_prep_nop(&entry);
        entry.user_data = instead;
        return true;
    }
    return false;
}

bool uring_ring::await_completion() noexcept {
    lost_ = try_enter(1);
    return lost_ == 0;
}

io_uring_sqe* uring_ring::try_sqe() noexcept {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) [[unlikely]] {
        if (!flush()) return nullptr;
        entry = io_uring_get_sqe(&ring_);
    }
    ++outstanding_;
    ++requests_;
    return entry;
}

io_uring_sqe& uring_ring::sqe() {
    io_uring_sqe* const entry = try_sqe();
    if (entry == nullptr) [[unlikely]] {
        enter();
        throw_errno("io_uring_enter: the kernel has no memory for submissions", ENOMEM);
    }
    return *entry;
}

bool uring_ring::take(io_uring_cqe& cqe) noexcept {
    if (!has_completions()) return false;
    const io_uring_cqe& next = ring_.cq.cqes[*ring_.cq.khead & ring_.cq.ring_mask];
    // The members are copied one by one, because the structure has a flexible array at its end.
    cqe.user_data = next.user_data;
    cqe.res = next.res;
    cqe.flags = next.flags;
    io_uring_cq_advance(&ring_, 1);
    if ((cqe.flags & IORING_CQE_F_MORE) == 0) --outstanding_;
    return true;
}

void uring_ring::cancel_all() noexcept {
    if (!is_enabled() || !runs_in_this_thread()) return;
    io_uring_sqe* const cancel = try_sqe();
    if (cancel == nullptr) return;  // then the kernel cannot work on any request either
    io_uring_prep_cancel64(cancel, 0, IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL);
    cancel->user_data = 0;
    for (io_uring_cqe ended{}; outstanding_ != 0 && await_completion();)
        while (take(ended)) continue;
}

}  // namespace loopbench::loop

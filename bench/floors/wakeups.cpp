#include "bench/floors/wakeups.hpp"

#include <liburing.h>
#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>

#include "loop/drivers/uring_ring.hpp"
#include "loop/system_error.hpp"
#include "loop/unique_fd.hpp"

namespace loopbench::bench::floors {

namespace {

using loop::checked;
using loop::throw_errno;

// std::atomic::wait looks at the value some dozens of times before it sleeps; this does not, as no loop does.
class futex_waker final : public waker {
public:
    void wake() noexcept override {
        wakes_.fetch_add(1, std::memory_order_release);
        ::syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
    void wait() override {
        const long result = ::syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, seen_, nullptr, nullptr, 0);
        // EAGAIN: there has been one since.
        if (result != 0 && errno != EAGAIN && errno != EINTR) throw_errno("futex", errno);
        seen_ = wakes_.load(std::memory_order_acquire);
    }

private:
    std::atomic<std::uint32_t> wakes_ = 0;
    std::uint32_t seen_ = 0;
    static_assert(sizeof(wakes_) == sizeof(std::uint32_t), "futex(2) takes 32 bits");
};

loop::unique_fd open_eventfd() {
    return loop::unique_fd(checked(::eventfd(0, EFD_CLOEXEC), "eventfd"));
}

void add_one(int event) noexcept {
    const std::uint64_t one = 1;
    // It fails only when 2^64 - 2 are there to be read.
    [[maybe_unused]] const ssize_t written = ::write(event, &one, sizeof one);
}

// Edge-triggered: every write makes an edge, so the number need not be read away.
class epoll_waker final : public waker {
public:
    epoll_waker() : event_(open_eventfd()), epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
        epoll_event watched{.events = EPOLLIN | EPOLLET, .data = {.fd = event_.get()}};
        checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, event_.get(), &watched), "epoll_ctl");
    }
    void wake() noexcept override { add_one(event_.get()); }
    void wait() override {
        epoll_event event;
        const int count = ::epoll_wait(epoll_.get(), &event, 1, -1);
        if (count < 0 && errno != EINTR) throw_errno("epoll_wait", errno);
    }

private:
    loop::unique_fd event_;
    loop::unique_fd epoll_;
};

// One entry for a wait: it submits the read of the eventfd and returns with its completion.
class uring_waker final : public waker {
public:
    uring_waker()
        : event_(open_eventfd()),
          ring_(loop::uring_limits{.submissions = 8, .completions = 16, .buffers = 0}) {
        ring_.enter();  // it is this thread's from here on
    }
    void wake() noexcept override { add_one(event_.get()); }
    void wait() override {
        if (!reading_) {
            io_uring_prep_read(io_uring_get_sqe(&ring_.native()), event_.get(), &count_, sizeof count_, 0);
            reading_ = true;
        }
        const int result = io_uring_submit_and_wait(&ring_.native(), 1);
        if (result < 0 && result != -EINTR) throw_errno("io_uring_enter", -result);
        io_uring_cqe* completion = nullptr;
        if (io_uring_peek_cqe(&ring_.native(), &completion) != 0) return;
        const int bytes = completion->res;
        io_uring_cqe_seen(&ring_.native(), completion);
        reading_ = false;
        if (bytes < 0) throw_errno("IORING_OP_READ", -bytes);
    }

private:
    loop::unique_fd event_;
    std::uint64_t count_ = 0;  // what is read into, and of no use
    bool reading_ = false;
    loop::uring_ring ring_;  // after what it writes into
};

/// Posts numbers from a thread of its own, from 1, each when it has been told that the one before was
/// received.
class posting_thread {
public:
    using clock = std::chrono::steady_clock;

    posting_thread(waker& kernel, std::uint64_t posts)
        : kernel_(kernel), posts_(posts), thread_([this] { post_all(); }) {}
    ~posting_thread() {
        allow(posts_);  // when the other thread gave up, this one must not wait for it
        thread_.join();
    }

    void allow(std::uint64_t posts) {
        allowed_.store(static_cast<std::uint32_t>(posts), std::memory_order_release);
        allowed_.notify_one();
    }
    /// The last number that was posted, and when: valid until the next one is allowed.
    std::uint64_t posted() const noexcept { return posted_.load(std::memory_order_acquire); }
    clock::time_point posted_at() const noexcept { return posted_at_; }

private:
    void post_all() {
        for (std::uint64_t number = 1; number <= posts_; ++number) {
            for (std::uint32_t seen = 0; (seen = allowed_.load(std::memory_order_acquire)) < number;)
                allowed_.wait(seen);
            posted_at_ = clock::now();
            posted_.store(number, std::memory_order_release);
            kernel_.wake();
        }
    }

    waker& kernel_;
    std::uint64_t posts_;
    clock::time_point posted_at_{};
    std::atomic<std::uint64_t> posted_ = 0;
    std::atomic<std::uint32_t> allowed_ =
        0;                // as in bench/workloads/cross_thread.hpp, and waited for in the same way
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<waker> make_futex_waker() {
    return std::make_unique<futex_waker>();
}

std::unique_ptr<waker> make_epoll_waker() {
    return std::make_unique<epoll_waker>();
}

std::unique_ptr<waker> make_uring_waker() {
    return std::make_unique<uring_waker>();
}

void post_cross_thread(waker& kernel, trial& t) {
    histogram* const latency = t.latency_if_recording();
    posting_thread other(kernel, t.operations());
    std::uint64_t in_order = 0;
    t.begin();
    for (std::uint64_t number = 1; number <= t.operations(); ++number) {
        other.allow(number);
        do {
            kernel.wait();
        } while (other.posted() < number);
        if (latency != nullptr)
            latency->record(
                std::chrono::nanoseconds(posting_thread::clock::now() - other.posted_at()).count());
        if (other.posted() == number) ++in_order;
    }
    t.end();
    t.prove("posts that were received one by one", t.operations(), in_order);
}

}  // namespace loopbench::bench::floors

#include "bench/suite/floors/wakeups.hpp"

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
#include <limits>
#include <thread>

#include "bench/suite/floors/waits.hpp"
#include "bench/suite/workloads/cross_thread.hpp"
#include "bench/suite/workloads/trial/cores.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::bench::floors {

namespace {

using loop::checked;
using loop::throw_failed;

// A waker that calls futex(2) directly. std::atomic::wait would check the value dozens of times before it
// sleeps, which loops do not do.
class futex_waker final : public waker {
public:
    void wake() noexcept override {
        wakes_.fetch_add(1, std::memory_order_release);
        ::syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
    void wait() override {
        const long result = ::syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, seen_, nullptr, nullptr, 0);
        if (result != 0 && errno != EAGAIN && errno != EINTR) throw_failed("futex", errno);
        seen_ = wakes_.load(std::memory_order_acquire);
    }

private:
    std::atomic<std::uint32_t> wakes_ = 0;
    std::uint32_t seen_ = 0;
    static_assert(sizeof(wakes_) == sizeof(std::uint32_t), "futex(2) needs a value of 32 bits");
};

loop::unique_fd open_eventfd() {
    return loop::unique_fd(checked(::eventfd(0, EFD_CLOEXEC), "eventfd"));
}

void add_one(int event) noexcept {
    const std::uint64_t one = 1;
    // The write cannot fail. It would block only if the counter exceeded 2^64 - 2.
    [[maybe_unused]] const ssize_t written = ::write(event, &one, sizeof one);
}

// A waker on an edge-triggered eventfd. Every write to the eventfd produces an edge, so the counter need not
// be read.
class epoll_waker final : public waker {
public:
    epoll_waker() : event_(open_eventfd()), epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
        epoll_event watched{.events = EPOLLIN | EPOLLET, .data = {.fd = event_.get()}};
        checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, event_.get(), &watched), "epoll_ctl");
    }
    void wake() noexcept override { add_one(event_.get()); }
    void wait() override { wait_for_event(epoll_.get()); }

private:
    loop::unique_fd event_;
    loop::unique_fd epoll_;
};

class uring_waker final : public waker {
public:
    uring_waker() : event_(open_eventfd()), ring_(small_ring) { ring_.enable(); }
    void wake() noexcept override { add_one(event_.get()); }
    void wait() override {
        io_uring_prep_read(io_uring_get_sqe(&ring_.native()), event_.get(), &count_, sizeof count_, 0);
        const int bytes = submit_and_take(ring_.native()).result;
        if (bytes < 0) throw_failed("IORING_OP_READ", -bytes);
    }

private:
    loop::unique_fd event_;
    std::uint64_t count_ = 0;
    loop::uring_ring ring_;  // destroyed first, because the ring writes into `count_`
};

/// A thread that posts the numbers 1, 2, 3, ... It posts a number only after a call of allow() with this
/// number.
class posting_thread {
public:
    using clock = std::chrono::steady_clock;

    posting_thread(waker& kernel, int core, const trial& t)
        : kernel_(kernel), t_(t), thread_(workloads::start_on_core(core, [this] { post_all(); })) {}
    ~posting_thread() {
        allow(no_more);
        thread_.join();
    }

    void allow(std::uint64_t posts) {
        allowed_.store(static_cast<std::uint32_t>(posts), std::memory_order_release);
        allowed_.notify_one();
    }
    /// Returns the last posted number. This number and posted_at() do not change until allow() permits the
    /// next post.
    std::uint64_t posted() const noexcept { return posted_.load(std::memory_order_acquire); }
    clock::time_point posted_at() const noexcept { return posted_at_; }

private:
    static constexpr std::uint32_t no_more = std::numeric_limits<std::uint32_t>::max();

    void post_all() {
        for (std::uint64_t number = 1;; ++number) {
            std::uint32_t seen = 0;
            while ((seen = allowed_.load(std::memory_order_acquire)) < number) allowed_.wait(seen);
            if (seen == no_more) return;
            posted_at_ = t_.start_of_latency();
            posted_.store(number, std::memory_order_release);
            kernel_.wake();
        }
    }

    waker& kernel_;
    const trial& t_;
    clock::time_point posted_at_{};
    std::atomic<std::uint64_t> posted_ = 0;
    std::atomic<std::uint32_t> allowed_ = 0;
    std::thread thread_;  // declared last, because the thread uses all members above
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

void post_cross_thread(waker& kernel, int cores, trial& t) {
    const auto kept = workloads::cores_for_two_threads(cores, t);
    if (!kept) return;
    const workloads::kept_on_core here(kept->first);
    posting_thread other(kernel, kept->second, t);
    std::uint64_t number = 0, in_order = 0;
    const auto receive_next = [&] {
        other.allow(++number);
        do {
            kernel.wait();
        } while (other.posted() < number);
        if (other.posted() == number) ++in_order;
    };
    while (number < workloads::warm_up_posts(cores)) receive_next();
    const std::uint64_t last = number + t.operations();
    t.begin();
    while (number < last) {
        receive_next();
        t.record_latency(other.posted_at());
    }
    t.end();
    t.prove("number of posts that were received in order", last, in_order);
}

}  // namespace loopbench::bench::floors

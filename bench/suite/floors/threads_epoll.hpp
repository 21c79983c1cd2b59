// Threads that wait, accept and echo with bare epoll calls. They are the base of the floors of the workloads
// threads/... (threads_workloads.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/suite/threads/crew.hpp"
#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/threads/records.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

struct epoll_event;

namespace loopbench::bench::floors {

/// Threads that each have an epoll descriptor and a listening socket on the same port (SO_REUSEPORT). All
/// sockets are edge-triggered. A derived class adds the other descriptors of its workload.
class epoll_threads {
public:
    /// Opens the descriptors. `units` is that of thread_records, and `sessions` is the number of connections
    /// that the clients open. Throws std::system_error.
    epoll_threads(const thread_plan& plan, trial& t, std::size_t units, std::size_t sessions);
    virtual ~epoll_threads() = default;
    epoll_threads(const epoll_threads&) = delete;
    epoll_threads& operator=(const epoll_threads&) = delete;

protected:
    std::size_t threads() const noexcept { return members_.size(); }
    const loop::endpoint& port() const noexcept { return port_; }
    /// Returns the number of bytes that were echoed on each connection. Must not be called during run().
    std::vector<std::uint64_t> served_bytes() const;

    /// Runs the threads until finish() was called. Throws the first exception of a thread.
    void run() { crew_.run(); }
    /// Ends run(), soon. Any thread can call this function.
    void finish() noexcept;
    bool is_finished() const noexcept { return is_finished_.load(std::memory_order_acquire); }

    /// Calls woken(thread) in the thread, soon. Any thread can call these functions.
    void wake(std::size_t thread) const noexcept;
    void wake_all() const noexcept;
    /// Calls readable(thread, tag) in the thread when the descriptor becomes readable. The tag must be below
    /// 2^32. Throws std::system_error.
    void watch(std::size_t thread, int fd, std::uint64_t tag) const;

    workloads::detail::thread_records records;

private:
    struct alignas(bytes_apart) member {
        loop::unique_fd epoll, wake;
    };
    struct alignas(bytes_apart) session {
        loop::unique_fd fd;
        std::uint64_t served_bytes = 0;
    };

    // A derived class implements these functions, which are called in the threads.
    virtual void begin([[maybe_unused]] std::size_t thread) {}  // called before the thread waits
    virtual void woken([[maybe_unused]] std::size_t thread) {}
    virtual void readable([[maybe_unused]] std::size_t thread, [[maybe_unused]] std::uint64_t tag) {}
    virtual void session_begins() {}
    virtual void session_ended() {}
    /// Returns true if the thread can end after finish().
    virtual bool can_end([[maybe_unused]] std::size_t thread) const { return true; }

    void open(std::size_t thread);
    void add(std::size_t thread, int fd, std::uint32_t events, std::uint64_t tag) const;
    void work(std::size_t thread);
    void handle(std::size_t thread, const epoll_event& event);
    void accept_all(std::size_t thread);
    void serve(session& own, bool until_end);

    std::vector<member> members_;
    std::vector<session> sessions_;
    std::atomic<std::size_t> accepted_{0};
    std::atomic<bool> is_finished_{false};
    std::vector<loop::unique_fd> listeners_;
    loop::endpoint port_;
    thread_crew crew_;  // declared last, because its threads use all members above
};

/// Sends all bytes. Blocks while the kernel's buffer is full. Returns false if the connection is broken.
bool send_whole(int fd, std::span<const std::byte> bytes) noexcept;

}  // namespace loopbench::bench::floors

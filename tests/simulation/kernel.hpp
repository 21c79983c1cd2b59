// A kernel in memory, under the loop that programs use: sockets, readiness, io_uring, a timer, and the time.
//
// The linker puts calls.cpp between the loop and the C library (--wrap), as tests/faults does, so that what
// is run is what is measured and installed: every driver, the turn, the coroutines. There is one thread. What
// other threads, peers and the network would do happens at the loop's calls, in an order that a seed decides:
// bytes arrive in parts and late, sockets take only a part, connections break, signals interrupt, wake-ups
// are spurious, and the clock jumps. What it promises is what Linux promises, as the drivers rely on it:
// - An edge is reported after each arrival, and whenever a socket that was full has room again; by level,
//   what is there is reported by each wait.
// - A short read of TCP has drained the socket; one of a Unix socket may have stopped at a message.
// - What has arrived before a reset can be read, and then the error is told once.
// - Closing a socket with something unread in it resets the connection.
#pragma once

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/run.hpp"

namespace loopbench::simulation {

class kernel;

/// What a file is ready for: poll(2)'s bits, which are epoll's.
namespace ready {
inline constexpr unsigned in = POLLIN;
inline constexpr unsigned out = POLLOUT;
inline constexpr unsigned error = POLLERR;
inline constexpr unsigned hang_up = POLLHUP;
inline constexpr unsigned end = POLLRDHUP;
}  // namespace ready

/// "port 80", or a Unix socket's path.
std::string name_of(const sockaddr& address);

/// What a descriptor stands for.
class file : public std::enable_shared_from_this<file> {
public:
    explicit file(kernel& of) noexcept : kernel_(of) {}
    file& operator=(file&&) = delete;
    virtual ~file() = default;

    /// What it is ready for.
    virtual unsigned events() const noexcept = 0;
    /// Nobody has it any more: no descriptor, and no request of io_uring.
    virtual void release() {}

    unsigned holders = 0;  // descriptors, and requests of io_uring
    int watched_as = -1;   // the descriptor by which epoll knows it
    bool is_deaf = false;  // a planted defect: its events are not reported

protected:
    kernel& kernel_;
};

class eventfd_file final : public file {
public:
    using file::file;
    unsigned events() const noexcept override { return count == 0 ? ready::out : ready::in | ready::out; }
    void add();

    std::uint64_t count = 0;
};

class timer_file final : public file {
public:
    using file::file;
    unsigned events() const noexcept override { return has_fired_ ? ready::in : 0; }
    void set(nanoseconds when);

private:
    bool has_fired_ = false;
    unsigned setting_ = 0;  // the newest counts
};

/// A socket that listens, or one end of a connection.
class socket_file final : public file {
public:
    socket_file(kernel& of, int domain);

    unsigned events() const noexcept override;
    void release() override;

    // The calls: a result, or a negated errno.
    std::int64_t bind_to(std::string name);
    std::int64_t listen(std::size_t backlog_max);
    std::int64_t connect_to(const std::string& name);
    /// A new descriptor.
    std::int64_t accept();
    std::int64_t send(std::span<const std::byte> bytes);
    std::int64_t receive(std::span<std::byte> buffer);
    std::int64_t shut_down_writing();

    int domain() const noexcept { return domain_; }
    const std::string& name() const noexcept { return name_; }
    bool has_backlog() const noexcept { return !backlog_.empty(); }

    // What a test may know.
    std::uint64_t connection = 0;       // both ends have the same number, from 1
    bool is_client = false;             // of that connection
    std::uint64_t taken = 0;            // bytes that this end has sent
    std::uint64_t arrived = 0;          // bytes that have come here, read or not
    bool was_reset = false;             // bytes may be lost, in both directions
    bool has_ended = false;             // there is an end or an error to be read, behind what has arrived
    bool is_connecting = false;         // not yet connected, nor refused
    std::shared_ptr<socket_file> peer;  // while both ends live
    bool can_take() const noexcept { return has_room_; }
    /// How much of what is sent can arrive at a time.
    std::size_t window() const noexcept {
        return peer ? std::min(send_limit_, peer->receive_limit_) : send_limit_;
    }
    bool accept_was_refused = false;  // for want of a descriptor: who accepts waits a while

private:
    void establish(const std::string& name);
    void connect_both(const std::shared_ptr<socket_file>& other);
    void network_takes_time();
    void carry();
    void tell_room();
    void reset_by_peer();

    enum class state { fresh, connecting, connected, listening };

    const int domain_;
    state state_ = state::fresh;
    std::string name_;
    std::deque<std::shared_ptr<socket_file>> backlog_;
    std::size_t backlog_max_ = 0;

    std::deque<std::byte> received_;
    std::deque<std::size_t> messages_;  // of a Unix socket: where a read stops
    std::deque<std::byte> under_way_;   // sent, and not yet at the peer
    std::size_t send_limit_;
    std::size_t receive_limit_;
    bool has_room_ = true;      // until a send was cut short; then there is none before it has been said
    bool is_carrying_ = false;  // something will happen to what is under way
    bool sends_end_ = false;    // after what is under way
    bool end_is_sent_ = false;
    bool is_closed_ = false;
    bool connect_is_told_ = false;
    int error_ = 0;  // to be told once
};

/// An io_uring (ring.hpp).
class ring;

class kernel {
public:
    kernel(std::uint64_t seed, defect what, std::string* trace_text);
    kernel(const kernel&) = delete;
    kernel& operator=(const kernel&) = delete;
    ~kernel();

    /// The one that the calls of this thread go to; null outside of a run.
    static kernel* current;
    /// Only descriptors from here on are its own.
    static constexpr int first_descriptor = 64;

    // Time.

    nanoseconds time() const noexcept { return time_; }
    /// As the loop sees it.
    nanoseconds clock();
    void sleep(nanoseconds duration);
    /// `what` happens after so long.
    void after(nanoseconds delay, std::function<void()> what);
    /// At every call, before it is made: time passes, what is due happens, and other threads may act.
    void enter();
    /// Sleeps until `is_over` or the deadline; false at the deadline. When nothing is going to happen any
    /// more, the run has failed.
    bool sleep_until(nanoseconds deadline, const std::function<bool()>& is_over);
    static constexpr nanoseconds forever = nanoseconds::max();

    // Descriptors.

    int open(std::shared_ptr<file> what);
    file* find(int fd) noexcept;
    socket_file* find_socket(int fd) noexcept { return dynamic_cast<socket_file*>(find(fd)); }
    std::shared_ptr<file> share(int fd) {
        return find(fd) == nullptr ? nullptr : find(fd)->shared_from_this();
    }
    std::int64_t close(int fd);
    void drop(file& held);
    std::size_t open_descriptors() const noexcept { return descriptors_.size(); }

    // Readiness.

    /// What the file is ready for may have changed: whoever waits for it looks.
    void changed(file& what);
    /// What it is reported to be ready for.
    unsigned reported_events(const file& what) const noexcept { return what.is_deaf ? 0 : what.events(); }
    std::int64_t epoll_control(int what, int fd, const epoll_event& event);
    std::int64_t epoll_wait(std::span<epoll_event> events, bool blocks);
    std::int64_t poll(std::span<pollfd> fds, nanoseconds timeout);
    std::int64_t select(int count, fd_set& in, fd_set& out, nanoseconds timeout);

    // The network.

    std::map<std::string, std::weak_ptr<socket_file>> listeners;  // by address
    std::uint16_t free_port() noexcept { return ++last_port_; }
    std::uint64_t next_connection() noexcept { return ++last_connection_; }

    /// True now and then, when this defect is planted.
    bool is_planted(defect what, std::uint64_t one_in) { return planted_ == what && random.one_in(one_in); }
    /// A call is interrupted by a signal now and then.
    bool is_interrupted() { return random.one_in(200); }

    /// What other threads do. Called at the loop's calls.
    std::function<void()> other_threads;
    /// Called when nothing is there for the loop, and it is going to sleep.
    std::function<void()> before_sleep;
    /// For who wants to know why it fails.
    std::function<std::string()> who_waits;
    std::unique_ptr<ring> the_ring;
    chance random;
    trace log;
    std::uint64_t calls_of_turn = 0;
    nanoseconds step;  // about as much time passes at a call

private:
    struct happening {
        nanoseconds when;
        std::uint64_t number;
        std::function<void()> what;
        bool operator<(const happening& other) const noexcept {
            return when != other.when ? when > other.when : number > other.number;
        }
    };
    struct interest {
        std::shared_ptr<file> what;
        std::uint32_t events;
        std::uint64_t data;
        bool is_listed = false;
    };

    void happen_until(nanoseconds when);
    void list(int fd);

    const defect planted_;
    nanoseconds time_;
    nanoseconds stopped_at_{0};      // the clock, when that is planted
    std::vector<happening> coming_;  // a heap
    std::uint64_t last_happening_ = 0;
    bool in_other_thread_ = false;
    std::map<int, std::shared_ptr<file>> descriptors_;
    std::map<int, interest> interests_;  // of the one epoll
    std::deque<int> listed_;             // to be looked at by epoll_wait
    std::uint16_t last_port_ = 10'000;
    std::uint64_t last_connection_ = 0;
};

}  // namespace loopbench::simulation

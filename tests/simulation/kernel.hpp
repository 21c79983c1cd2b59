// The simulated kernel in memory, on which the loop runs. It has sockets, epoll, io_uring, a timer and a
// clock.
//
// The linker puts calls.cpp between the loop and the C library (--wrap), so the tested code is the code that
// is measured and installed. There is only one thread. Actions of other threads, peers and the network happen
// during the loop's calls, in an order that depends on a seed. Bytes arrive late and in parts, sends take
// only a part of their bytes, and connections break. Signals interrupt calls, wake-ups are spurious, and the
// clock jumps.
//
// The simulated kernel keeps the promises of Linux on which the drivers rely. Edge triggering reports each
// arrival of bytes; it also reports when a full socket has space again. Level triggering reports the current
// readiness at each wait. After a short read, a TCP socket is empty, but a Unix socket might still contain
// bytes after the end of a message. Bytes that arrived before a reset can be read, and then the error is
// reported once. Closing a socket with unread bytes resets the connection.
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

/// The bits of poll(2). epoll uses the same bits.
namespace ready {
inline constexpr unsigned in = POLLIN;
inline constexpr unsigned out = POLLOUT;
inline constexpr unsigned error = POLLERR;
inline constexpr unsigned hang_up = POLLHUP;
inline constexpr unsigned end = POLLRDHUP;
}  // namespace ready

/// Returns a name for the address: the path of a Unix socket, or a text such as "port 80".
std::string name_of(const sockaddr& address);

class file : public std::enable_shared_from_this<file> {
public:
    explicit file(kernel& of) noexcept : kernel_(of) {}
    file& operator=(file&&) = delete;
    virtual ~file() = default;

    virtual unsigned events() const noexcept = 0;
    /// Ends the file. The kernel calls this function when no descriptor and no io_uring request refers to the
    /// file any more.
    virtual void release() {}

    unsigned holders = 0;
    int watched_as = -1;  // the descriptor by which epoll watches the file, or -1
    bool is_deaf = false;

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
    unsigned setting_ = 0;
};

class socket_file final : public file {
public:
    socket_file(kernel& of, int domain);

    unsigned events() const noexcept override;
    void release() override;

    // The following functions simulate system calls. They return the result or a negated errno.
    std::int64_t bind_to(std::string name);
    std::int64_t listen(std::size_t backlog_max);
    std::int64_t connect_to(const std::string& name);
    std::int64_t accept();
    std::int64_t send(std::span<const std::byte> bytes);
    std::int64_t receive(std::span<std::byte> buffer);
    std::int64_t shut_down_writing();

    int domain() const noexcept { return domain_; }
    const std::string& name() const noexcept { return name_; }
    bool has_backlog() const noexcept { return !backlog_.empty(); }

    // The program's checks compare the following values with the results of the program's operations.
    std::uint64_t connection = 0;  // the number of the connection, from 1; 0: not connected
    bool is_client = false;
    std::uint64_t taken = 0;    // the number of bytes that this end has sent
    std::uint64_t arrived = 0;  // the number of bytes that have arrived at this end, read or unread
    bool was_reset = false;     // the connection broke; bytes might be lost in both directions
    bool has_ended = false;     // after the arrived bytes, a read returns the end or an error
    bool is_connecting = false;
    std::shared_ptr<socket_file> peer;
    bool can_take() const noexcept { return has_room_; }
    std::size_t window() const noexcept {
        return peer ? std::min(send_limit_, peer->receive_limit_) : send_limit_;
    }
    bool accept_was_refused = false;  // with EMFILE or ENOBUFS; the loop then waits before it tries again

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
    std::deque<std::size_t> messages_;  // for a Unix socket: the sizes of the unread messages
    std::deque<std::byte> under_way_;
    std::size_t send_limit_;
    std::size_t receive_limit_;
    bool has_room_ = true;  // false after a short send, until space is reported
    bool is_carrying_ = false;
    bool sends_end_ = false;
    bool end_is_sent_ = false;
    bool is_closed_ = false;
    bool connect_is_reported_ = false;
    int error_ = 0;
};

class ring;

class kernel {
public:
    kernel(std::uint64_t seed, defect what, std::string* trace_text);
    kernel(const kernel&) = delete;
    kernel& operator=(const kernel&) = delete;
    ~kernel();

    /// The kernel that receives this thread's calls, or null outside of a run.
    static kernel* current;
    /// The lowest descriptor of the simulated kernel. Lower descriptors belong to the real kernel.
    static constexpr int first_descriptor = 64;

    nanoseconds time() const noexcept { return time_; }
    nanoseconds clock();
    void sleep(nanoseconds duration);
    void after(nanoseconds delay, std::function<void()> what);
    /// Lets time pass, makes due events happen, and lets other threads act. Each simulated system call begins
    /// with a call of this function.
    void enter();
    /// Sleeps until `is_over` returns true or the deadline is reached. Returns false if the deadline ended
    /// the sleep. Fails the run if `deadline` is `forever` and no event is left.
    bool sleep_until(nanoseconds deadline, const std::function<bool()>& is_over);
    static constexpr nanoseconds forever = nanoseconds::max();

    int open(std::shared_ptr<file> what);
    file* find(int fd) noexcept;
    socket_file* find_socket(int fd) noexcept { return dynamic_cast<socket_file*>(find(fd)); }
    std::shared_ptr<file> share(int fd) {
        return find(fd) == nullptr ? nullptr : find(fd)->shared_from_this();
    }
    std::int64_t close(int fd);
    void drop(file& held);
    std::size_t open_descriptors() const noexcept { return descriptors_.size(); }

    void changed(file& what);
    unsigned reported_events(const file& what) const noexcept { return what.is_deaf ? 0 : what.events(); }
    std::int64_t epoll_control(int what, int fd, const epoll_event& event);
    std::int64_t epoll_wait(std::span<epoll_event> events, bool blocks);
    std::int64_t poll(std::span<pollfd> fds, nanoseconds timeout);
    std::int64_t select(int count, fd_set& in, fd_set& out, nanoseconds timeout);

    std::map<std::string, std::weak_ptr<socket_file>> listeners;
    std::uint16_t free_port() noexcept { return ++last_port_; }
    std::uint64_t next_connection() noexcept { return ++last_connection_; }

    /// Returns true at random, on average once in `one_in` calls, if the defect `what` is planted. Otherwise,
    /// returns false.
    bool is_planted(defect what, std::uint64_t one_in) { return planted_ == what && random.one_in(one_in); }
    bool is_interrupted() { return random.one_in(200); }

    std::function<void()> other_threads;
    /// A function that the kernel calls when the loop has nothing to do and is about to sleep.
    std::function<void()> before_sleep;
    std::function<std::string()> who_waits;
    std::unique_ptr<ring> the_ring;
    chance random;
    trace log;
    std::uint64_t calls_of_turn = 0;
    nanoseconds step;

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
    nanoseconds stopped_at_{0};
    std::vector<happening> coming_;
    std::uint64_t last_happening_ = 0;
    bool in_other_thread_ = false;
    std::map<int, std::shared_ptr<file>> descriptors_;
    std::map<int, interest> interests_;  // by descriptor; there is only one epoll instance
    std::deque<int> listed_;
    std::uint16_t last_port_ = 10'000;
    std::uint64_t last_connection_ = 0;
};

}  // namespace loopbench::simulation

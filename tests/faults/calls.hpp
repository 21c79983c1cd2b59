// The calls of loop/ that can fail, every error from their manual pages, and a way to make one call fail.
//
// The linker puts a wrapper between the loop and each of these calls (--wrap), so the tests run the loop code
// that is measured and installed. An io_uring request that must fail is replaced by a request that does
// nothing and completes with the error (IORING_NOP_INJECT_RESULT, Linux 6.10). The kernel and the loop then
// agree on which requests are pending.
#pragma once

#include <netdb.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::loop::faults {

enum class fate {
    passes,      // the call is not made; the loop repeats it or continues without it
    made_first,  // the call is made, but returns the error; the loop continues
    told,        // the call is not made; the caller receives the error
    ends_loop,   // like `told`, but the loop might be unusable afterwards
    seen,        // the test does not inject this error; the kernel must return it in some run
    cannot,      // the call's arguments, which the test checks, make the error impossible
};
std::string_view to_text(fate what) noexcept;

struct failure {
    int error;
    fate what;
    int told_as;
    std::string_view why;
};

struct site {
    std::string_view name;
    std::string_view call;
    std::string_view file;
    std::string_view callers;  // drivers that make the call: e(poll), p(oll), s(elect), (io_)u(ring), t(ick)
    std::string_view perhaps;
    std::string_view manual;
    std::vector<failure> failures;
};

/// Returns all sites, which are the places of calls in loop/, in the order of site_id.
std::span<const site> sites();

enum class site_id : std::size_t {
    epoll_create1,
    epoll_add,
    epoll_mod,
    epoll_del,
    epoll_wait,
    timerfd_create,
    timerfd_settime,
    eventfd,
    wake_write,
    wake_read,
    ppoll,
    pselect,
    recv,
    send,
    read,
    read_input,
    write,
    read_file,
    write_file,
    recvfrom,
    sendto,
    accept4,
    connect,
    poll,
    socket_protocol,
    socket_listens,
    close,
    socket,
    bind,
    listen,
    reuse_address,
    reuse_port,
    no_delay,
    getsockname,
    getpeername,
    shutdown,
    pipe2,
    signalfd,
    block_signals,
    unblock_signals,
    block_sigpipe,
    unblock_sigpipe,
    sigpending,
    sigtimedwait,
    getaddrinfo,
    thread,
    usable_cpus,
    pin,
    nanosleep,
    uring_setup,
    uring_enable,
    uring_buffers,
    uring_no_buffers,
    uring_submit,
    uring_wait,
    uname,
    mmap,
    munmap,
    request_feed,
    request_receive,
    request_send,
    request_read,
    request_write,
    request_read_file,
    request_write_file,
    request_accept,
    request_connect,
    request_poll,
    request_wake,
    request_timeout,
    request_new_timeout,
    request_cancel,
    count,
};
inline constexpr std::size_t site_count = static_cast<std::size_t>(site_id::count);

struct plan {
    site_id where;
    unsigned index;  // counted from 0 for each site
    failure what;
};

/// A counter of the calls that all threads make between resume() and pause(). Only one object of this class
/// can exist at a time.
class watched_calls {
public:
    explicit watched_calls(const std::optional<plan>& planned) noexcept;
    watched_calls(const watched_calls&) = delete;
    watched_calls& operator=(const watched_calls&) = delete;
    ~watched_calls();

    void resume() noexcept;
    void pause() noexcept;

    unsigned calls(site_id where) const noexcept;
    bool has_failed() const noexcept;
};

bool was_seen(site_id where, int error) noexcept;
/// Returns a text if a call had an argument that makes an error of fate::cannot possible, otherwise an empty
/// text.
std::string_view broken_promise() noexcept;
/// Returns true if the kernel supports IORING_NOP_INJECT_RESULT (Linux 6.10).
bool requests_can_fail();

/// The system calls of the test itself. They are neither counted nor made to fail.
namespace past_the_watch {
ssize_t read(int fd, void* data, std::size_t bytes);
ssize_t write(int fd, const void* data, std::size_t bytes);
int blocking_pipe(int ends[2]);
int timer(long ns);
}  // namespace past_the_watch

}  // namespace loopbench::loop::faults

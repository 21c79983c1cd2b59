// The calls of loop/ that can fail, every error from their manual pages, and a way to make one call fail.
//
// The linker puts a function of calls.cpp between the loop and each of these calls (--wrap). The function
// counts the calls, and makes one call end with the planned error. The tested loop is therefore the loop that
// is measured and installed. An io_uring request that has to fail becomes a request that does nothing and
// completes with the error (IORING_NOP_INJECT_RESULT, Linux 6.10). In this way, the kernel and the loop agree
// on the pending requests.
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

/// The required effect of an error.
enum class fate {
    passes,      // the call is not made; the loop repeats or ignores it and does the work
    made_first,  // the same, but the call is made first, as for close or "in progress"
    told,        // the call is not made; the caller receives the error
    ends_loop,   // the same; the loop may also report the error to all callers and be destroyed
    seen,        // only the kernel's state can cause the error; it must occur in some run
    cannot,      // the call's arguments make the error impossible; each call is checked for this
};
std::string_view to_text(fate what) noexcept;

struct failure {
    int error;
    fate what;
    int told_as;           // the error that is reported; it can say more than `error`
    std::string_view why;  // the reason why the error is impossible, if it is
};

/// A place in loop/ that makes a call.
struct site {
    std::string_view name;
    std::string_view call;
    std::string_view file;     // the file in loop/
    std::string_view callers;  // drivers that make the call: e(poll), p(oll), s(elect), (io_)u(ring), t(ick)
    std::string_view perhaps;  // drivers that make the call only on some kernels
    std::string_view manual;   // the manual pages that name the errors
    std::vector<failure> failures;
};

/// Returns the table, in the order of site_id.
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

/// One call that has to fail.
struct plan {
    site_id where;
    unsigned index;  // counts the calls at this site from 0
    failure what;
};

/// Counts the calls of all threads between resume() and pause(), and makes the planned call fail. Only one
/// such object can exist at a time.
class watched_calls {
public:
    explicit watched_calls(const std::optional<plan>& planned) noexcept;
    watched_calls(const watched_calls&) = delete;
    watched_calls& operator=(const watched_calls&) = delete;
    ~watched_calls();

    void resume() noexcept;
    void pause() noexcept;

    unsigned calls(site_id where) const noexcept;
    /// Returns true if the planned call was made and failed.
    bool has_failed() const noexcept;
};

/// Returns true if the kernel itself has returned this error while calls were watched.
bool was_seen(site_id where, int error) noexcept;
/// Describes an argument that a call must never have, because the table says that the resulting error is
/// impossible. Returns an empty string if no call had such an argument.
std::string_view broken_promise() noexcept;
/// Returns true if this kernel can make a request fail.
bool requests_can_fail();

/// Calls that are not watched, for the tests' own use.
namespace past_the_watch {
ssize_t read(int fd, void* data, std::size_t bytes);
ssize_t write(int fd, const void* data, std::size_t bytes);
int blocking_pipe(int ends[2]);
/// Returns a descriptor that becomes readable once, after `ns` nanoseconds.
int timer(long ns);
}  // namespace past_the_watch

}  // namespace loopbench::loop::faults

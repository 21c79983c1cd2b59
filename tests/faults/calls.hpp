// The calls of loop/ that can fail, with every error from their manual pages, and a way to make one fail.
//
// The linker puts a function of calls.cpp between the loop and each of these calls (--wrap). It counts the
// calls, and makes one call end with the planned error. The tested loop is therefore the one that is measured
// and installed. A request of io_uring becomes one that does nothing and completes with the error
// (IORING_NOP_INJECT_RESULT, Linux 6.10), so that the kernel and the loop agree on the pending requests.
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
    passes,      // the call is not made; repeated or ignored: the work is done all the same
    made_first,  // the same, but the call has done its work before: a close, "in progress"
    told,        // the call is not made; the caller gets the error
    ends_loop,   // the same, and then the loop may report it to all callers, and be destroyed
    seen,        // only the kernel can cause it, by its state: it occurs on its own
    cannot,      // impossible with the call's arguments; `why` says why, and each call is checked for it
};
std::string_view to_text(fate what) noexcept;

struct failure {
    int error;
    fate what;
    int told_as;           // another error to report, if that says more
    std::string_view why;  // of an error that cannot come
};

/// A place in loop/ that makes a call.
struct site {
    std::string_view name;
    std::string_view call;
    std::string_view file;     // in loop/
    std::string_view callers;  // the drivers that make it: e(poll), p(oll), s(elect), (io_)u(ring), t(ick)
    std::string_view perhaps;  // likewise, but it depends on the kernel whether they do
    std::string_view manual;   // the source of the errors
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
    unsigned index;  // of the calls at this site, from 0
    failure what;
};

/// Counts calls in all threads between resume() and pause(), and makes the planned one fail. Only one can
/// exist at a time.
class watched_calls {
public:
    explicit watched_calls(const std::optional<plan>& planned) noexcept;
    watched_calls(const watched_calls&) = delete;
    watched_calls& operator=(const watched_calls&) = delete;
    ~watched_calls();

    void resume() noexcept;
    void pause() noexcept;

    unsigned calls(site_id where) const noexcept;
    /// Returns whether the planned call was made, and failed.
    bool has_failed() const noexcept;
};

/// Returns whether the kernel itself has returned this error while calls were watched.
bool was_seen(site_id where, int error) noexcept;
/// Describes an argument that a call must never get, because the table calls an error impossible; or empty.
std::string_view broken_promise() noexcept;
/// Returns whether this kernel can make a request fail.
bool requests_can_fail();

/// For the tests themselves: calls without the watch.
namespace past_the_watch {
ssize_t read(int fd, void* data, std::size_t bytes);
ssize_t write(int fd, const void* data, std::size_t bytes);
int blocking_pipe(int ends[2]);
/// Returns a descriptor that becomes readable once, after `ns` nanoseconds.
int timer(long ns);
}  // namespace past_the_watch

}  // namespace loopbench::loop::faults

// The calls of loop/ that can fail, with every error that their manual pages know, and how to let one fail.
//
// The linker puts a function of calls.cpp between the loop and each of them (--wrap): it counts, and lets one
// call come to the error that was planned. So the loop is the one that is measured and installed. A request
// of io_uring becomes one that does nothing and completes with the error (IORING_NOP_INJECT_RESULT, Linux
// 6.10), so that the kernel and the loop agree on what there is.
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

/// What has to come of an error.
enum class fate {
    passes,      // the call is not made; tried again, or of no matter: the work is done all the same
    made_first,  // the same, but the call has done its work before: a close, what "is on its way"
    told,        // the call is not made; who asked gets the error
    ends_loop,   // the same, and from then on the loop may say so to everybody, and be destroyed
    seen,        // it says what the kernel's state is, which only the kernel can have: it comes by itself
    cannot,      // by what is passed to the call, always; `why` says what, and each call is checked for it
};
std::string_view to_text(fate what) noexcept;

struct failure {
    int error;
    fate what;
    int told_as;           // for another one where that says more
    std::string_view why;  // of one that cannot come
};

/// A place in loop/ that makes a call.
struct site {
    std::string_view name;
    std::string_view call;
    std::string_view file;     // in loop/
    std::string_view callers;  // the drivers that come here: e(poll), p(oll), s(elect), i(o_uring), t(ick)
    std::string_view perhaps;  // likewise; whether they do is the kernel's matter
    std::string_view manual;   // where the errors are from
    std::vector<failure> failures;
};

/// In the order of site_id.
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

/// One call that is to fail.
struct plan {
    site_id where;
    unsigned index;  // of the calls there, from 0
    failure what;
};

/// Between resume() and pause(), calls are counted in all threads, and the planned one fails. One at a time.
class watched_calls {
public:
    explicit watched_calls(const std::optional<plan>& planned) noexcept;
    watched_calls(const watched_calls&) = delete;
    watched_calls& operator=(const watched_calls&) = delete;
    ~watched_calls();

    void resume() noexcept;
    void pause() noexcept;

    unsigned calls(site_id where) const noexcept;
    /// Whether the planned one has come.
    bool has_failed() const noexcept;
};

/// Whether the kernel has given this error by itself while calls were watched.
bool was_seen(site_id where, int error) noexcept;
/// What a call was passed that it must never be, so that an error was said to be impossible; or empty.
std::string_view broken_promise() noexcept;
/// Whether this kernel can let a request fail.
bool requests_can_fail();

/// For the tests themselves: as if nothing stood in between.
namespace past_the_watch {
ssize_t read(int fd, void* data, std::size_t bytes);
ssize_t write(int fd, const void* data, std::size_t bytes);
int blocking_pipe(int ends[2]);
/// A descriptor that becomes readable once, after so long.
int timer(long ns);
}  // namespace past_the_watch

}  // namespace loopbench::loop::faults

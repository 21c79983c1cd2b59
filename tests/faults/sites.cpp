// The table contains the places at which loop/ makes a call. For each place, it contains the errors that the
// call's manual page names (Debian's manpages-dev 6.03 and liburing-dev 2.3), and the required effect of each
// error.
#include <cerrno>

#include "tests/faults/calls.hpp"

namespace loopbench::loop::faults {

namespace {

using failures = std::vector<failure>;

failures of(fate what, std::initializer_list<int> errors, std::string_view why = {}) {
    failures made;
    for (const int error : errors) made.push_back({error, what, error, why});
    return made;
}
failures passes(std::initializer_list<int> errors) {
    return of(fate::passes, errors);
}
failures made_first(std::initializer_list<int> errors) {
    return of(fate::made_first, errors);
}
failures told(std::initializer_list<int> errors) {
    return of(fate::told, errors);
}
failures ends_loop(std::initializer_list<int> errors) {
    return of(fate::ends_loop, errors);
}
failures seen(std::initializer_list<int> errors) {
    return of(fate::seen, errors);
}
failures cannot(std::string_view why, std::initializer_list<int> errors) {
    return of(fate::cannot, errors, why);
}
failures told_as(int error, int as) {
    return {{error, fate::told, as, {}}};
}

failures operator+(failures all, const failures& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

constexpr std::string_view all = "epsu";
constexpr std::string_view readiness = "eps";

const failures passing_accepts =
    passes({EINTR, ECONNABORTED, EPROTO, EMFILE, ENFILE, ENOBUFS, ENOMEM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN,
            ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM});
const failures refused_accepts =
    told({EBADF, EFAULT, EINVAL, ENOTSOCK, ENOSR, ESOCKTNOSUPPORT, EPROTONOSUPPORT, ETIMEDOUT});
const failures refused_connects =
    told({EACCES, EPERM, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EBADF, ECONNREFUSED, EFAULT, EISCONN,
          ENETUNREACH, ENOTSOCK, EPROTOTYPE, ETIMEDOUT});
const failures refused_receives = told({EBADF, ECONNREFUSED, EFAULT, EINVAL, ENOMEM, ENOTCONN, ENOTSOCK});
const failures refused_sends =
    told({EACCES, EALREADY, EBADF, ECONNRESET, EDESTADDRREQ, EFAULT, EINVAL, EISCONN, EMSGSIZE, ENOBUFS,
          ENOMEM, ENOTCONN, ENOTSOCK, EOPNOTSUPP, EPIPE});
const failures refused_reads = told({EBADF, EFAULT, EINVAL, EIO, EISDIR});
const failures refused_writes =
    told({EBADF, EDESTADDRREQ, EDQUOT, EFAULT, EFBIG, EINVAL, EIO, ENOSPC, EPERM, EPIPE});
// readv(2) can also fail with the errors of lseek(2), and of a flag that it does not know.
const failures refused_positions = told({EOVERFLOW, ESPIPE, ENXIO, EOPNOTSUPP});
// The "CQE errors" of io_uring_enter(2), without the errors that the corresponding system call can also
// return.
const failures refused_requests = told({ECANCELED});

const std::vector<site> table{
    {"epoll_create1", "epoll_create1", "io/epoll.cpp", "e", "", "epoll_create(2)",
     told({EINVAL, EMFILE, ENFILE, ENOMEM})},
    {"epoll_ctl ADD", "epoll_ctl", "io/epoll.cpp", "e", "", "epoll_ctl(2)",
     made_first({EEXIST}) + told({EBADF, EINVAL, ELOOP, ENOMEM, ENOSPC, EPERM})},
    {"epoll_ctl MOD", "epoll_ctl", "io/epoll.cpp", "e", "", "epoll_ctl(2)",
     told({EBADF, EINVAL, ENOENT, ENOMEM, EPERM})},
    {"epoll_ctl DEL", "epoll_ctl", "io/epoll.cpp", "e", "", "epoll_ctl(2)",
     made_first({EBADF, EINVAL, ENOENT, ENOMEM, EPERM})},
    {"epoll_wait", "epoll_wait", "io/epoll.cpp", "e", "", "epoll_wait(2)",
     passes({EINTR}) + told({EBADF, EFAULT, EINVAL})},
    {"timerfd_create", "timerfd_create", "io/epoll.cpp", "e", "", "timerfd_create(2)",
     told({EINVAL, EMFILE, ENFILE, ENODEV, ENOMEM, EPERM})},
    {"timerfd_settime", "timerfd_settime", "io/epoll.cpp", "e", "", "timerfd_create(2)",
     told({EBADF, ECANCELED, EFAULT, EINVAL})},
    {"eventfd", "eventfd", "io/waiting.hpp", all, "", "eventfd(2)",
     told({EINVAL, EMFILE, ENFILE, ENODEV, ENOMEM})},
    {"write of a wake-up", "write", "io/waiting.hpp", all, "", "eventfd(2), write(2)",
     passes({EINTR}) + made_first({EAGAIN}) + cannot("the number 1 is written in 8 bytes", {EINVAL})},
    {"read of wake-ups", "read", "io/waiting.hpp", "ps", "", "eventfd(2), read(2)",
     passes({EINTR, EAGAIN, EINVAL})},
    {"ppoll", "ppoll", "io/poll.cpp", "p", "", "poll(2)", passes({EINTR}) + told({EFAULT, EINVAL, ENOMEM})},
    {"pselect", "pselect", "io/select.cpp", "s", "", "select(2)",
     passes({EINTR}) + told({EBADF, EINVAL, ENOMEM})},
    {"recv", "recv", "io/io.cpp", readiness, "u", "recv(2)",
     seen({EAGAIN}) + passes({EINTR}) + refused_receives},
    {"send", "send", "io/io.cpp", readiness, "u", "send(2)",
     seen({EAGAIN}) + passes({EINTR}) + refused_sends},
    {"read", "read", "io/io.cpp", readiness, "u", "read(2)",
     seen({EAGAIN}) + passes({EINTR}) + refused_reads},
    {"read of standard input", "read", "net/pipe.cpp", all, "", "read(2)",
     passes({EINTR}) + refused_reads + told({EAGAIN})},
    {"write", "write", "io/io.cpp", readiness, "u", "write(2)",
     seen({EAGAIN}) + passes({EINTR}) + refused_writes},
    {"preadv2", "preadv2", "io/io.cpp", readiness, "u", "readv(2)",
     seen({EAGAIN}) + passes({EINTR}) + refused_reads + refused_positions},
    {"pwritev2", "pwritev2", "io/io.cpp", readiness, "u", "readv(2)",
     seen({EAGAIN}) + passes({EINTR}) + refused_writes + refused_positions},
    {"recvfrom", "recvfrom", "io/io.cpp", all, "", "recv(2)",
     seen({EAGAIN}) + passes({EINTR}) + refused_receives},
    {"sendto", "sendto", "io/io.cpp", all, "", "send(2)", seen({EAGAIN}) + passes({EINTR}) + refused_sends},
    {"accept4", "accept4", "io/io.cpp", readiness, "u", "accept(2)",
     seen({EAGAIN}) + passing_accepts + refused_accepts},
    {"connect", "connect", "io/io.cpp", readiness, "u", "connect(2)",
     made_first({EINTR, EINPROGRESS, EALREADY}) + told_as(EAGAIN, ENOBUFS) + refused_connects},
    {"poll", "poll", "io/io.cpp", readiness, "", "poll(2)", passes({EINTR}) + told({EFAULT, EINVAL, ENOMEM})},
    {"getsockopt SO_PROTOCOL", "getsockopt", "io/readiness.cpp", "e", "", "getsockopt(2)",
     passes({EBADF, EFAULT, EINVAL, ENOPROTOOPT, ENOTSOCK})},
    {"getsockopt SO_ACCEPTCONN", "getsockopt", "io/readiness.cpp", "e", "", "getsockopt(2)",
     passes({EBADF, EFAULT, EINVAL, ENOPROTOOPT, ENOTSOCK})},
    {"close", "close", "io/fd.hpp, io/io.cpp, io/uring/driver.cpp", all, "", "close(2)",
     made_first({EBADF, EINTR, EIO, ENOSPC, EDQUOT})},
    {"socket", "socket", "net/sockets.cpp", all, "", "socket(2)",
     told({EACCES, EAFNOSUPPORT, EINVAL, EMFILE, ENFILE, ENOBUFS, ENOMEM, EPROTONOSUPPORT})},
    {"bind", "bind", "net/sockets.cpp", all, "", "bind(2)",
     told({EACCES, EADDRINUSE, EADDRNOTAVAIL, EBADF, EFAULT, EINVAL, ELOOP, ENAMETOOLONG, ENOENT, ENOMEM,
           ENOTDIR, ENOTSOCK, EROFS})},
    {"listen", "listen", "net/sockets.cpp", all, "", "listen(2)",
     told({EADDRINUSE, EBADF, ENOTSOCK, EOPNOTSUPP})},
    {"setsockopt SO_REUSEADDR", "setsockopt", "net/sockets.cpp", all, "", "setsockopt(2)",
     told({EBADF, EFAULT, EINVAL, ENOPROTOOPT, ENOTSOCK})},
    {"setsockopt SO_REUSEPORT", "setsockopt", "net/sockets.cpp", all, "", "setsockopt(2)",
     told({EBADF, EFAULT, EINVAL, ENOPROTOOPT, ENOTSOCK})},
    {"setsockopt TCP_NODELAY", "setsockopt", "net/sockets.cpp", all, "", "setsockopt(2)",
     passes({ENOPROTOOPT}) + seen({EOPNOTSUPP}) + told({EBADF, EFAULT, EINVAL, ENOTSOCK})},
    {"getsockname", "getsockname", "net/sockets.cpp", all, "", "getsockname(2)",
     told({EBADF, EFAULT, EINVAL, ENOBUFS, ENOTSOCK})},
    {"getpeername", "getpeername", "net/sockets.cpp", all, "", "getpeername(2)",
     told({EBADF, EFAULT, EINVAL, ENOBUFS, ENOTCONN, ENOTSOCK})},
    {"shutdown", "shutdown", "net/stream.hpp", all, "", "shutdown(2)",
     made_first({EBADF, EINVAL, ENOTCONN, ENOTSOCK})},
    {"pipe2", "pipe2", "net/pipe.cpp", all, "", "pipe(2)", told({EFAULT, EINVAL, EMFILE, ENFILE, ENOPKG})},
    {"signalfd", "signalfd", "net/signals.cpp", all, "", "signalfd(2)",
     told({EBADF, EINVAL, EMFILE, ENFILE, ENODEV, ENOMEM})},
    {"pthread_sigmask, to receive", "pthread_sigmask", "net/signals.cpp", all, "", "sigprocmask(2)",
     told({EFAULT, EINVAL})},
    {"pthread_sigmask, in the end", "pthread_sigmask", "net/signals.cpp", all, "", "sigprocmask(2)",
     made_first({EFAULT, EINVAL})},
    {"pthread_sigmask, of SIGPIPE", "pthread_sigmask", "loop.cpp", all, "", "sigprocmask(2)",
     made_first({EFAULT, EINVAL})},
    {"pthread_sigmask, SIGPIPE's end", "pthread_sigmask", "loop.cpp", all, "", "sigprocmask(2)",
     made_first({EFAULT, EINVAL})},
    {"sigpending", "sigpending", "loop.cpp", all, "", "sigpending(2)", passes({EFAULT})},
    {"sigtimedwait", "sigtimedwait", "loop.cpp", all, "", "sigtimedwait(2)",
     seen({EAGAIN}) + passes({EINTR}) + cannot("the time to wait is 0", {EINVAL})},
    {"getaddrinfo", "getaddrinfo", "net/resolver.cpp", all, "", "getaddrinfo(3)",
     told({EAI_ADDRFAMILY, EAI_AGAIN, EAI_BADFLAGS, EAI_FAIL, EAI_FAMILY, EAI_MEMORY, EAI_NODATA, EAI_NONAME,
           EAI_SERVICE, EAI_SOCKTYPE, EAI_SYSTEM})},
    {"std::thread", "std::jthread", "group.cpp, group.cpp, net/resolver.hpp", all, "", "pthread_create(3)",
     told({EAGAIN, EINVAL, EPERM})},
    {"sched_getaffinity", "sched_getaffinity", "group.cpp", all, "", "sched_getaffinity(2)",
     passes({EFAULT, EINVAL, ESRCH})},
    {"sched_setaffinity", "sched_setaffinity", "group.cpp", all, "", "sched_setaffinity(2)",
     told({EFAULT, EINVAL, EPERM, ESRCH})},
    {"nanosleep", "std::this_thread::sleep_for", "inbox.cpp, scheduler.cpp, turn.hpp", "t", "epsu",
     "nanosleep(2)", passes({EINTR, EFAULT, EINVAL})},
    {"io_uring_setup", "io_uring_queue_init_params", "io/uring/ring.cpp", "u", "", "io_uring_setup(2)",
     told_as(EINVAL, ENOSYS) + told({EFAULT, EMFILE, ENFILE, ENOMEM, EPERM, ENOSYS, EACCES})},
    {"io_uring_register ENABLE_RINGS", "io_uring_register", "io/uring/ring.cpp", "u", "",
     "io_uring_register(2)",
     told({EACCES, EBADF, EBADFD, EBUSY, EFAULT, EINVAL, EMFILE, ENOMEM, ENXIO, EOPNOTSUPP})},
    {"io_uring_register PBUF_RING", "io_uring_register_buf_ring", "io/uring/stream_feed.hpp", "u", "",
     "io_uring_register(2)",
     told({EACCES, EBADF, EBADFD, EBUSY, EFAULT, EINVAL, EMFILE, ENOMEM, ENXIO, EOPNOTSUPP, EEXIST})},
    {"io_uring_register, no PBUF_RING", "io_uring_unregister_buf_ring", "io/uring/stream_feed.hpp", "u", "",
     "io_uring_register(2)",
     made_first({EACCES, EBADF, EBADFD, EBUSY, EFAULT, EINVAL, EMFILE, ENOMEM, ENXIO, EOPNOTSUPP})},
    {"io_uring_enter", "io_uring_submit_and_get_events", "io/uring/ring.cpp", "u", "", "io_uring_enter(2)",
     passes({EAGAIN, EBUSY, EINTR}) +
         ends_loop({EBADF, EBADFD, EBADR, EEXIST, EFAULT, EINVAL, ENXIO, EOPNOTSUPP})},
    {"io_uring_enter, to sleep", "io_uring_submit_and_wait", "io/uring/ring.cpp", "u", "",
     "io_uring_enter(2)",
     passes({EAGAIN, EBUSY, EINTR}) +
         ends_loop({EBADF, EBADFD, EBADR, EEXIST, EFAULT, EINVAL, ENXIO, EOPNOTSUPP})},
    {"uname", "uname", "io/uring/ring.cpp", "u", "", "uname(2)", passes({EFAULT})},
    {"mmap", "mmap", "io/uring/stream_feed.hpp", "u", "", "mmap(2)",
     told({EACCES, EAGAIN, EBADF, EEXIST, EINVAL, ENFILE, ENODEV, ENOMEM, EOVERFLOW, EPERM, ETXTBSY})},
    {"munmap", "munmap", "io/uring/stream_feed.hpp, io/uring/stream_feed.hpp", "u", "", "mmap(2)",
     made_first({EINVAL})},
    {"request: a stream's feed", "io_uring_prep_recv_multishot", "io/uring/stream_feed.hpp", "u", "",
     "recv(2), io_uring_enter(2)",
     passes({EAGAIN, EINTR, ENOBUFS}) + refused_receives + told({EACCES, EOPNOTSUPP, ECANCELED})},
    {"request: receive", "io_uring_prep_recv", "io/uring/driver.cpp", "u", "", "recv(2), io_uring_enter(2)",
     passes({EAGAIN, EINTR}) + refused_receives + told({EACCES, EOPNOTSUPP}) + refused_requests},
    {"request: send", "io_uring_prep_send", "io/uring/driver.cpp", "u", "", "send(2), io_uring_enter(2)",
     passes({EAGAIN, EINTR}) + refused_sends + refused_requests},
    {"request: read", "io_uring_prep_read", "io/uring/driver.cpp", "u", "", "read(2), io_uring_enter(2)",
     passes({EAGAIN, EINTR}) + refused_reads + told({EACCES, EOPNOTSUPP}) + refused_requests},
    {"request: write", "io_uring_prep_write", "io/uring/driver.cpp", "u", "", "write(2), io_uring_enter(2)",
     passes({EAGAIN, EINTR}) + refused_writes + told({EACCES, EOPNOTSUPP}) + refused_requests},
    {"request: read of a file", "io_uring_prep_readv", "io/uring/driver.cpp", "u", "",
     "readv(2), io_uring_enter(2)",
     passes({EAGAIN, EINTR}) + refused_reads + refused_positions + told({EACCES}) + refused_requests},
    {"request: write of a file", "io_uring_prep_writev", "io/uring/driver.cpp", "u", "",
     "readv(2), io_uring_enter(2)",
     passes({EAGAIN, EINTR}) + refused_writes + refused_positions + told({EACCES}) + refused_requests},
    {"request: accept", "io_uring_prep_accept", "io/uring/driver.cpp", "u", "",
     "accept(2), io_uring_enter(2)",
     passes({EAGAIN}) + passing_accepts + refused_accepts + told({EACCES}) + refused_requests},
    {"request: connect", "io_uring_prep_connect", "io/uring/driver.cpp", "u", "",
     "connect(2), io_uring_enter(2)",
     passes({EAGAIN, EINTR}) + refused_connects + told({EALREADY, EINPROGRESS, EINVAL, EOPNOTSUPP}) +
         refused_requests},
    {"request: readiness", "io_uring_prep_poll_add", "io/uring/driver.cpp", "u", "",
     "poll(2), io_uring_enter(2)",
     passes({EINTR}) + told({EFAULT, EINVAL, ENOMEM, EACCES, EOPNOTSUPP}) +
         cannot("an operation is not called back after its descriptor is closed", {EBADF})},
    {"request: wake-ups", "io_uring_prep_poll_multishot", "io/uring/driver.cpp", "u", "",
     "poll(2), io_uring_enter(2)",
     passes({EINTR, EFAULT, EINVAL, ENOMEM, EACCES, EBADF, EOPNOTSUPP, ECANCELED})},
    {"request: time", "io_uring_prep_timeout", "io/uring/driver.cpp", "u", "", "io_uring_enter(2)",
     passes({ECANCELED, EACCES, EFAULT, EINVAL, EOPNOTSUPP})},
    {"request: earlier time", "io_uring_prep_timeout_update", "io/uring/driver.cpp", "u", "",
     "io_uring_enter(2)", passes({ENOENT, EBUSY, EALREADY, EACCES, EFAULT, EINVAL, EOPNOTSUPP})},
    {"request: cancel", "io_uring_prep_cancel64", "io/uring/driver.cpp, io/uring/ring.cpp", "u", "",
     "io_uring_enter(2)", made_first({ENOENT, EALREADY, EINVAL})},
};

}  // namespace

std::span<const site> sites() {
    return table;
}

std::string_view to_text(fate what) noexcept {
    switch (what) {
        case fate::passes:
        case fate::made_first:
            return "passes";
        case fate::told:
            return "told";
        case fate::ends_loop:
            return "told, or ends the loop";
        case fate::seen:
            return "seen";
        case fate::cannot:
            return "cannot come";
    }
    return "";
}

}  // namespace loopbench::loop::faults

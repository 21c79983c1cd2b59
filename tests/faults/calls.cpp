#include "tests/faults/calls.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "tests/real_calls.hpp"

extern "C" {
ssize_t __real_recvfrom(int, void*, size_t, int, sockaddr*, socklen_t*);
ssize_t __real_sendto(int, const void*, size_t, int, const sockaddr*, socklen_t);
ssize_t __real_preadv2(int, const iovec*, int, off_t, int);
ssize_t __real_pwritev2(int, const iovec*, int, off_t, int);
int __real_getpeername(int, sockaddr*, socklen_t*);
int __real_pipe2(int*, int);
int __real_signalfd(int, const sigset_t*, int);
int __real_pthread_sigmask(int, const sigset_t*, sigset_t*);
int __real_sigpending(sigset_t*);
int __real_sigtimedwait(const sigset_t*, siginfo_t*, const timespec*);
int __real_getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**);
int __real_sched_getaffinity(pid_t, size_t, cpu_set_t*);
int __real_sched_setaffinity(pid_t, size_t, const cpu_set_t*);
int __real_uname(utsname*);
void* __real_mmap(void*, size_t, int, int, int, off_t);
int __real_munmap(void*, size_t);
// This is the mangled name of std::thread::_M_start_thread(std::unique_ptr<std::thread::_State>, void (*)()).
// That function calls pthread_create().
void __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(void*,
                                                                                                  void*,
                                                                                                  void (*)());
}

namespace loopbench::loop::faults {

namespace {

constexpr std::size_t errors_max = 256;

constinit std::atomic<bool> watching{false};
std::optional<plan> planned;
constinit std::array<std::atomic<unsigned>, site_count> made{};
constinit std::atomic<bool> failed{false};
constinit std::array<std::array<std::atomic<bool>, errors_max>, site_count> seen_errors{};
constinit std::atomic<const char*> broken{nullptr};
constexpr std::size_t descriptors_max = 4096;
constinit std::array<std::atomic<bool>, descriptors_max> is_eventfd{};
constinit std::array<std::atomic<bool>, descriptors_max> is_connecting{};

bool is_to_fail(site_id where) noexcept {
    const unsigned index = made[static_cast<std::size_t>(where)].fetch_add(1);
    if (!planned || planned->where != where || planned->index != index) return false;
    failed = true;
    return true;
}

void note(site_id where, int error) noexcept {
    const auto index = static_cast<std::size_t>(error < 0 ? -error : error);
    if (index < errors_max) seen_errors[static_cast<std::size_t>(where)][index] = true;
}

/// Makes the call, or lets it fail if its failure is planned. `fails(error)` returns the result that means
/// `error`. `error_of(result)` returns the error that a result means, or 0 for a success.
template <class Call, class Fails, class ErrorOf>
auto watched(site_id where, Call call, Fails fails, ErrorOf error_of) -> decltype(call()) {
    if (!watching) return call();
    if (is_to_fail(where)) {
        if (planned->what.what == fate::made_first) static_cast<void>(call());
        return fails(planned->what.error);
    }
    const auto result = call();
    if (const int error = error_of(result); error != 0) note(where, error);
    return result;
}

template <class Call>
auto with_errno(site_id where, Call call) -> decltype(call()) {
    return watched(
        where, call,
        [](int error) -> decltype(call()) {
            errno = error;
            return -1;
        },
        [](auto result) { return result < 0 ? errno : 0; });
}

/// Does the same as watched() for a call that returns an errno value. `Sign` is 1 if the call returns the
/// value itself, and -1 if it returns the negated value.
template <int Sign, class Call>
int with_result(site_id where, Call call) {
    return watched(
        where, call, [](int error) { return Sign * error; },
        [](int result) { return Sign * result > 0 ? Sign * result : 0; });
}

void promise(bool held, const char* what) noexcept {
    if (!held && watching) broken = what;
}

bool wakes(int fd) noexcept {
    return fd >= 0 && static_cast<std::size_t>(fd) < descriptors_max &&
           is_eventfd[static_cast<std::size_t>(fd)];
}
bool exchange(std::array<std::atomic<bool>, descriptors_max>& of, int fd, bool value) noexcept {
    return fd >= 0 && static_cast<std::size_t>(fd) < descriptors_max &&
           of[static_cast<std::size_t>(fd)].exchange(value);
}

/// Returns true if the planned error can occur only in the first connect() of a socket. Such errors report a
/// connection that is in progress or established.
bool is_for_first_connect() noexcept {
    return planned && planned->where == site_id::connect &&
           (planned->what.what == fate::made_first || planned->what.error == EISCONN);
}

bool is_only_sigpipe(const sigset_t* set) noexcept {
    for (int signal = 1; signal < NSIG; ++signal)
        if ((::sigismember(set, signal) == 1) != (signal == SIGPIPE)) return false;
    return true;
}

site_id site_of(int how, const sigset_t* set) noexcept {
    if (is_only_sigpipe(set)) return how == SIG_BLOCK ? site_id::block_sigpipe : site_id::unblock_sigpipe;
    return how == SIG_BLOCK ? site_id::block_signals : site_id::unblock_signals;
}

site_id site_of_option(int level, int name) noexcept {
    if (level != SOL_SOCKET) return site_id::no_delay;
    return name == SO_REUSEPORT ? site_id::reuse_port : site_id::reuse_address;
}

std::optional<site_id> site_of(const io_uring_sqe& request) noexcept {
    switch (request.opcode) {
        case IORING_OP_RECV:
            return (request.ioprio & IORING_RECV_MULTISHOT) != 0 ? site_id::request_feed
                                                                 : site_id::request_receive;
        case IORING_OP_SEND:
            return site_id::request_send;
        case IORING_OP_READ:
            return site_id::request_read;
        case IORING_OP_WRITE:
            return site_id::request_write;
        case IORING_OP_READV:
            return site_id::request_read_file;
        case IORING_OP_WRITEV:
            return site_id::request_write_file;
        case IORING_OP_ACCEPT:
            return site_id::request_accept;
        case IORING_OP_CONNECT:
            return site_id::request_connect;
        case IORING_OP_POLL_ADD:
            return (request.len & IORING_POLL_ADD_MULTI) != 0 ? site_id::request_wake : site_id::request_poll;
        case IORING_OP_TIMEOUT:
            return site_id::request_timeout;
        case IORING_OP_TIMEOUT_REMOVE:
            return site_id::request_new_timeout;
        case IORING_OP_ASYNC_CANCEL:
            return site_id::request_cancel;
        default:
            return std::nullopt;
    }
}

void make_fail(io_uring_sqe& request, int error) noexcept {
    constexpr unsigned inject_result = 1;  // IORING_NOP_INJECT_RESULT
    const std::uint64_t user_data = request.user_data;
    request = {};
    request.opcode = IORING_OP_NOP;
    request.rw_flags = inject_result;
    request.len = static_cast<unsigned>(-error);
    request.user_data = user_data;
}

/// Passes the requests to the kernel, and makes the planned one fail. A request whose failure has
/// fate::made_first is executed, and this function then overwrites the result in the completion. Only
/// cancellations have this fate, and they have completed when the kernel returns.
template <class Enter>
int hand_over(io_uring& ring, Enter enter) {
    constexpr std::uint64_t mark = std::uint64_t{1} << 40;  // a bit that no cancellation's user data uses
    std::uint64_t marked = 0;
    for (unsigned i = ring.sq.sqe_head; i != ring.sq.sqe_tail; ++i) {
        io_uring_sqe& request = ring.sq.sqes[i & ring.sq.ring_mask];
        const auto where = site_of(request);
        if (!where || !is_to_fail(*where)) continue;
        if (planned->what.what == fate::made_first) {
            marked = request.user_data |= mark;
        } else {
            make_fail(request, planned->what.error);
        }
    }
    const int result = enter();
    if (marked == 0) return result;
    for (unsigned i = *ring.cq.khead; i != io_uring_smp_load_acquire(ring.cq.ktail); ++i) {
        io_uring_cqe& completed = ring.cq.cqes[i & ring.cq.ring_mask];
        if (completed.user_data == marked) completed.res = -planned->what.error;
    }
    return result;
}

template <class Enter>
int entered(site_id where, io_uring& ring, Enter enter) {
    if (!watching) return enter();
    return with_result<-1>(where, [&] { return hand_over(ring, enter); });
}

}  // namespace

watched_calls::watched_calls(const std::optional<plan>& what) noexcept {
    planned = what;
    failed = false;
    for (auto& each : made) each = 0;
}
watched_calls::~watched_calls() {
    watching = false;
}
void watched_calls::pause() noexcept {
    watching = false;
}
void watched_calls::resume() noexcept {
    watching = true;
}
unsigned watched_calls::calls(site_id where) const noexcept {
    return made[static_cast<std::size_t>(where)];
}
bool watched_calls::has_failed() const noexcept {
    return failed;
}

bool was_seen(site_id where, int error) noexcept {
    return seen_errors[static_cast<std::size_t>(where)][static_cast<std::size_t>(error)];
}

std::string_view broken_promise() noexcept {
    const char* const what = broken;
    return what == nullptr ? std::string_view{} : what;
}

bool requests_can_fail() {
    io_uring ring;
    if (io_uring_queue_init(2, &ring, 0) != 0) return false;
    io_uring_sqe& request = *io_uring_get_sqe(&ring);
    make_fail(request, EXDEV);
    io_uring_cqe* completed = nullptr;
    const bool can = __real_io_uring_submit_and_wait(&ring, 1) == 1 &&
                     io_uring_peek_cqe(&ring, &completed) == 0 && completed->res == -EXDEV;
    io_uring_queue_exit(&ring);
    return can;
}

namespace past_the_watch {
ssize_t read(int fd, void* data, std::size_t bytes) {
    return __real_read(fd, data, bytes);
}
ssize_t write(int fd, const void* data, std::size_t bytes) {
    return __real_write(fd, data, bytes);
}
int blocking_pipe(int ends[2]) {
    return __real_pipe2(ends, O_CLOEXEC);
}
int timer(long ns) {
    const int fd = __real_timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    const itimerspec setting{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = ns}};
    if (fd >= 0) __real_timerfd_settime(fd, 0, &setting, nullptr);
    return fd;
}
}  // namespace past_the_watch

}  // namespace loopbench::loop::faults

using namespace loopbench::loop::faults;

extern "C" {

int __wrap_epoll_create1(int flags) {
    return with_errno(site_id::epoll_create1, [=] { return __real_epoll_create1(flags); });
}
int __wrap_epoll_ctl(int epoll, int what, int fd, epoll_event* event) {
    const site_id where = what == EPOLL_CTL_ADD   ? site_id::epoll_add
                          : what == EPOLL_CTL_MOD ? site_id::epoll_mod
                                                  : site_id::epoll_del;
    return with_errno(where, [=] { return __real_epoll_ctl(epoll, what, fd, event); });
}
int __wrap_epoll_wait(int epoll, epoll_event* events, int events_max, int ms) {
    return with_errno(site_id::epoll_wait, [=] { return __real_epoll_wait(epoll, events, events_max, ms); });
}
int __wrap_timerfd_create(int clock, int flags) {
    return with_errno(site_id::timerfd_create, [=] { return __real_timerfd_create(clock, flags); });
}
int __wrap_timerfd_settime(int fd, int flags, const itimerspec* setting, itimerspec* before) {
    return with_errno(site_id::timerfd_settime,
                      [=] { return __real_timerfd_settime(fd, flags, setting, before); });
}
int __wrap_eventfd(unsigned count, int flags) {
    const int fd = with_errno(site_id::eventfd, [=] { return __real_eventfd(count, flags); });
    exchange(is_eventfd, fd, true);
    return fd;
}
ssize_t __wrap_read(int fd, void* data, size_t bytes) {
    const bool is_input = (::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;  // the loop has no other blocking input
    const site_id where = wakes(fd) ? site_id::wake_read : is_input ? site_id::read_input : site_id::read;
    return with_errno(where, [=] { return __real_read(fd, data, bytes); });
}
ssize_t __wrap_write(int fd, const void* data, size_t bytes) {
    if (wakes(fd)) {
        std::uint64_t count = 0;
        if (bytes == sizeof count) std::memcpy(&count, data, sizeof count);
        promise(count == 1, "a wake-up does not write the number 1 in 8 bytes");
    }
    return with_errno(wakes(fd) ? site_id::wake_write : site_id::write,
                      [=] { return __real_write(fd, data, bytes); });
}
ssize_t __wrap_preadv2(int fd, const iovec* parts, int count, off_t position, int flags) {
    return with_errno(site_id::read_file, [=] { return __real_preadv2(fd, parts, count, position, flags); });
}
ssize_t __wrap_pwritev2(int fd, const iovec* parts, int count, off_t position, int flags) {
    return with_errno(site_id::write_file,
                      [=] { return __real_pwritev2(fd, parts, count, position, flags); });
}
int __wrap_ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
    return with_errno(site_id::ppoll, [=] { return __real_ppoll(fds, count, timeout, mask); });
}
int __wrap_pselect(int count, fd_set* in, fd_set* out, fd_set* urgent, const timespec* timeout,
                   const sigset_t* mask) {
    return with_errno(site_id::pselect,
                      [=] { return __real_pselect(count, in, out, urgent, timeout, mask); });
}
ssize_t __wrap_recv(int fd, void* data, size_t bytes, int flags) {
    return with_errno(site_id::recv, [=] { return __real_recv(fd, data, bytes, flags); });
}
ssize_t __wrap_send(int fd, const void* data, size_t bytes, int flags) {
    return with_errno(site_id::send, [=] { return __real_send(fd, data, bytes, flags); });
}
ssize_t __wrap_recvfrom(int fd, void* data, size_t bytes, int flags, sockaddr* from, socklen_t* size) {
    return with_errno(site_id::recvfrom, [=] { return __real_recvfrom(fd, data, bytes, flags, from, size); });
}
ssize_t __wrap_sendto(int fd, const void* data, size_t bytes, int flags, const sockaddr* to, socklen_t size) {
    return with_errno(site_id::sendto, [=] { return __real_sendto(fd, data, bytes, flags, to, size); });
}
int __wrap_accept4(int fd, sockaddr* from, socklen_t* size, int flags) {
    return with_errno(site_id::accept4, [=] { return __real_accept4(fd, from, size, flags); });
}
int __wrap_connect(int fd, const sockaddr* to, socklen_t size) {
    const bool is_second = exchange(is_connecting, fd, true);  // asks for the result of the first call
    if (is_second && is_for_first_connect()) return __real_connect(fd, to, size);
    return with_errno(site_id::connect, [=] { return __real_connect(fd, to, size); });
}
int __wrap_poll(pollfd* fds, nfds_t count, int ms) {
    return with_errno(site_id::poll, [=] { return __real_poll(fds, count, ms); });
}
int __wrap_getsockopt(int fd, int level, int name, void* value, socklen_t* size) {
    const auto where = name == SO_PROTOCOL ? site_id::socket_protocol : site_id::socket_listens;
    return with_errno(where, [=] { return __real_getsockopt(fd, level, name, value, size); });
}
int __wrap_close(int fd) {
    exchange(is_eventfd, fd, false);
    exchange(is_connecting, fd, false);
    return with_errno(site_id::close, [=] { return __real_close(fd); });
}
int __wrap_socket(int family, int type, int protocol) {
    return with_errno(site_id::socket, [=] { return __real_socket(family, type, protocol); });
}
int __wrap_bind(int fd, const sockaddr* to, socklen_t size) {
    return with_errno(site_id::bind, [=] { return __real_bind(fd, to, size); });
}
int __wrap_listen(int fd, int backlog) {
    return with_errno(site_id::listen, [=] { return __real_listen(fd, backlog); });
}
int __wrap_setsockopt(int fd, int level, int name, const void* value, socklen_t size) {
    return with_errno(site_of_option(level, name),
                      [=] { return __real_setsockopt(fd, level, name, value, size); });
}
int __wrap_getsockname(int fd, sockaddr* where, socklen_t* size) {
    return with_errno(site_id::getsockname, [=] { return __real_getsockname(fd, where, size); });
}
int __wrap_getpeername(int fd, sockaddr* where, socklen_t* size) {
    return with_errno(site_id::getpeername, [=] { return __real_getpeername(fd, where, size); });
}
int __wrap_sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t* cpus) {
    return with_errno(site_id::usable_cpus, [=] { return __real_sched_getaffinity(thread, bytes, cpus); });
}
int __wrap_sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t* cpus) {
    return with_errno(site_id::pin, [=] { return __real_sched_setaffinity(thread, bytes, cpus); });
}
int __wrap_shutdown(int fd, int how) {
    return with_errno(site_id::shutdown, [=] { return __real_shutdown(fd, how); });
}
int __wrap_pipe2(int* ends, int flags) {
    return with_errno(site_id::pipe2, [=] { return __real_pipe2(ends, flags); });
}
int __wrap_signalfd(int fd, const sigset_t* signals, int flags) {
    return with_errno(site_id::signalfd, [=] { return __real_signalfd(fd, signals, flags); });
}
int __wrap_pthread_sigmask(int how, const sigset_t* signals, sigset_t* before) {
    return with_result<1>(site_of(how, signals),
                          [=] { return __real_pthread_sigmask(how, signals, before); });
}
int __wrap_sigpending(sigset_t* pending) {
    return with_errno(site_id::sigpending, [=] { return __real_sigpending(pending); });
}
int __wrap_sigtimedwait(const sigset_t* signals, siginfo_t* info, const timespec* timeout) {
    promise(timeout->tv_sec == 0 && timeout->tv_nsec == 0, "sigtimedwait waits");
    return with_errno(site_id::sigtimedwait, [=] { return __real_sigtimedwait(signals, info, timeout); });
}
int __wrap_getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
    return watched(
        site_id::getaddrinfo, [=] { return __real_getaddrinfo(host, service, hints, found); },
        [](int error) { return error; }, [](int error) { return error; });
}
int __wrap_nanosleep(const timespec* duration, timespec* left) {
    return with_errno(site_id::nanosleep, [=] { return __real_nanosleep(duration, left); });
}
int __wrap_uname(utsname* system) {
    return with_errno(site_id::uname, [=] { return __real_uname(system); });
}
void* __wrap_mmap(void* where, size_t bytes, int protection, int flags, int fd, off_t offset) {
    return watched(
        site_id::mmap, [=] { return __real_mmap(where, bytes, protection, flags, fd, offset); },
        [](int error) {
            errno = error;
            return MAP_FAILED;
        },
        [](void* memory) { return memory == MAP_FAILED ? errno : 0; });
}
int __wrap_munmap(void* memory, size_t bytes) {
    return with_errno(site_id::munmap, [=] { return __real_munmap(memory, bytes); });
}
int __wrap_io_uring_queue_init_params(unsigned entries, io_uring* ring, io_uring_params* parameters) {
    return with_result<-1>(site_id::uring_setup,
                           [=] { return __real_io_uring_queue_init_params(entries, ring, parameters); });
}
int __wrap_io_uring_register(unsigned fd, unsigned what, const void* argument, unsigned count) {
    return with_result<-1>(site_id::uring_enable,
                           [=] { return __real_io_uring_register(fd, what, argument, count); });
}
int __wrap_io_uring_register_buf_ring(io_uring* ring, io_uring_buf_reg* what, unsigned flags) {
    return with_result<-1>(site_id::uring_buffers,
                           [=] { return __real_io_uring_register_buf_ring(ring, what, flags); });
}
int __wrap_io_uring_unregister_buf_ring(io_uring* ring, int group) {
    return with_result<-1>(site_id::uring_no_buffers,
                           [=] { return __real_io_uring_unregister_buf_ring(ring, group); });
}
int __wrap_io_uring_submit_and_get_events(io_uring* ring) {
    return entered(site_id::uring_submit, *ring, [=] { return __real_io_uring_submit_and_get_events(ring); });
}
int __wrap_io_uring_submit_and_wait(io_uring* ring, unsigned completions) {
    return entered(site_id::uring_wait, *ring,
                   [=] { return __real_io_uring_submit_and_wait(ring, completions); });
}
void __wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    void* self, void* state, void (*depend)()) {
    if (with_errno(site_id::thread, [] { return 0; }) < 0)
        throw std::system_error(errno, std::generic_category(), "pthread_create");
    __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(self, state,
                                                                                                 depend);
}

}  // extern "C"

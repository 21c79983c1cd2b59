// The linker puts these functions between the loop and the C library (--wrap). During a simulated run, they
// pass calls to the simulated kernel, except calls with a descriptor of the real kernel.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tests/real_calls.hpp"
#include "tests/simulation/kernel.hpp"
#include "tests/simulation/ring.hpp"

extern "C" {
void __real_io_uring_queue_exit(io_uring*);
// Returns the real time. The name is the mangled name of std::chrono::steady_clock::now().
std::chrono::steady_clock::time_point __real__ZNSt6chrono3_V212steady_clock3nowEv();
}

using namespace loopbench::simulation;

namespace {

bool is_simulated() noexcept {
    return kernel::current != nullptr;
}
bool is_simulated(int fd) noexcept {
    return is_simulated() && fd >= kernel::first_descriptor;
}
kernel& simulated() noexcept {
    return *kernel::current;
}

/// Returns a result as the C library does. If the simulated kernel's result is a negated errno, sets errno
/// and returns -1.
template <class Result = int>
Result told(std::int64_t result) noexcept {
    if (result >= 0) return static_cast<Result>(result);
    errno = static_cast<int>(-result);
    return -1;
}

/// Makes a simulated system call. Time passes during the call, and a signal can interrupt it.
template <class Result = int, class Call>
Result on_socket(std::string_view name, int fd, std::size_t bytes, Call call) {
    kernel& of = simulated();
    of.enter();
    socket_file* const socket = of.find_socket(fd);
    const std::int64_t result = socket == nullptr ? -EBADF : of.is_interrupted() ? -EINTR : call(*socket);
    of.log.note(of.time(), name, fd, static_cast<std::int64_t>(bytes), result);
    return told<Result>(result);
}

nanoseconds as_time(const timespec& time) noexcept {
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}
nanoseconds as_timeout(const timespec* time) noexcept {
    return time == nullptr ? kernel::forever : as_time(*time);
}

template <class File>
int open_file() {
    return simulated().open(std::make_shared<File>(simulated()));
}

}  // namespace

extern "C" {

std::chrono::steady_clock::time_point __wrap__ZNSt6chrono3_V212steady_clock3nowEv() {
    if (!is_simulated()) return __real__ZNSt6chrono3_V212steady_clock3nowEv();
    return std::chrono::steady_clock::time_point(simulated().clock());
}
int __wrap_nanosleep(const timespec* duration, timespec* left) {
    if (!is_simulated()) return __real_nanosleep(duration, left);
    simulated().sleep(as_time(*duration));
    return 0;
}

int __wrap_epoll_create1(int flags) {
    // There is only one epoll instance. Its descriptor needs a file, and an eventfd_file stands in for it,
    // because the file is never used.
    return is_simulated() ? open_file<eventfd_file>() : __real_epoll_create1(flags);
}
int __wrap_epoll_ctl(int epoll, int what, int fd, epoll_event* event) {
    if (!is_simulated(epoll)) return __real_epoll_ctl(epoll, what, fd, event);
    return told(simulated().epoll_control(what, fd, event == nullptr ? epoll_event{} : *event));
}
int __wrap_epoll_wait(int epoll, epoll_event* events, int events_max, int ms) {
    if (!is_simulated(epoll)) return __real_epoll_wait(epoll, events, events_max, ms);
    return told(simulated().epoll_wait({events, static_cast<std::size_t>(events_max)}, ms != 0));
}
int __wrap_timerfd_create(int clock, int flags) {
    return is_simulated() ? open_file<timer_file>() : __real_timerfd_create(clock, flags);
}
int __wrap_timerfd_settime(int fd, int flags, const itimerspec* setting, itimerspec* before) {
    if (!is_simulated(fd)) return __real_timerfd_settime(fd, flags, setting, before);
    simulated().enter();
    static_cast<timer_file*>(simulated().find(fd))->set(as_time(setting->it_value));
    return 0;
}
int __wrap_eventfd(unsigned count, int flags) {
    return is_simulated() ? open_file<eventfd_file>() : __real_eventfd(count, flags);
}
ssize_t __wrap_read(int fd, void* data, size_t bytes) {
    if (!is_simulated(fd)) return __real_read(fd, data, bytes);
    simulated().enter();
    auto& counter = static_cast<eventfd_file&>(*simulated().find(fd));
    const std::uint64_t count = std::exchange(counter.count, 0);
    std::memcpy(data, &count, sizeof count);
    return told<ssize_t>(count == 0 ? -EAGAIN : static_cast<std::int64_t>(bytes));
}
ssize_t __wrap_write(int fd, const void* data, size_t bytes) {
    if (!is_simulated(fd)) return __real_write(fd, data, bytes);
    static_cast<eventfd_file&>(*simulated().find(fd)).add();  // no time passes, as other threads write, too
    return static_cast<ssize_t>(bytes);
}
int __wrap_ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
    if (!is_simulated()) return __real_ppoll(fds, count, timeout, mask);
    return told(simulated().poll({fds, count}, as_timeout(timeout)));
}
int __wrap_poll(pollfd* fds, nfds_t count, int ms) {
    if (!is_simulated()) return __real_poll(fds, count, ms);
    return told(simulated().poll({fds, count}, std::chrono::milliseconds(ms)));
}
int __wrap_pselect(int count, fd_set* in, fd_set* out, fd_set* urgent, const timespec* timeout,
                   const sigset_t* mask) {
    if (!is_simulated()) return __real_pselect(count, in, out, urgent, timeout, mask);
    return told(simulated().select(count, *in, *out, as_timeout(timeout)));
}

int __wrap_socket(int domain, int type, int protocol) {
    if (!is_simulated()) return __real_socket(domain, type, protocol);
    return simulated().open(std::make_shared<socket_file>(simulated(), domain));
}
int __wrap_close(int fd) {
    if (!is_simulated(fd)) return __real_close(fd);
    simulated().enter();
    simulated().log.note(simulated().time(), "close", fd);
    return told(simulated().close(fd));
}
int __wrap_bind(int fd, const sockaddr* address, socklen_t bytes) {
    if (!is_simulated(fd)) return __real_bind(fd, address, bytes);
    const bool any = address->sa_family == AF_INET && name_of(*address) == "port 0";
    const std::string name = any ? fmt::format("port {}", simulated().free_port()) : name_of(*address);
    return told(simulated().find_socket(fd)->bind_to(name));
}
int __wrap_listen(int fd, int backlog) {
    if (!is_simulated(fd)) return __real_listen(fd, backlog);
    return told(simulated().find_socket(fd)->listen(static_cast<std::size_t>(backlog)));
}
int __wrap_getsockname(int fd, sockaddr* address, socklen_t* bytes) {
    if (!is_simulated(fd)) return __real_getsockname(fd, address, bytes);
    unsigned port = 0;
    if (std::sscanf(simulated().find_socket(fd)->name().c_str(), "port %u", &port) != 1)
        return told(-EOPNOTSUPP);
    sockaddr_in local{};
    local.sin_family = AF_INET;
    local.sin_port = htons(static_cast<std::uint16_t>(port));
    std::memcpy(address, &local, sizeof local);
    *bytes = sizeof local;
    return 0;
}
int __wrap_setsockopt(int fd, int level, int name, const void* value, socklen_t bytes) {
    return is_simulated(fd) ? 0 : __real_setsockopt(fd, level, name, value, bytes);
}
int __wrap_getsockopt(int fd, int level, int name, void* value, socklen_t* bytes) {
    if (!is_simulated(fd)) return __real_getsockopt(fd, level, name, value, bytes);
    if (level != SOL_SOCKET || name != SO_PROTOCOL) return told(-ENOPROTOOPT);
    const socket_file* const socket = simulated().find_socket(fd);
    if (socket == nullptr) return told(-ENOTSOCK);
    const int protocol = socket->domain() == AF_INET ? IPPROTO_TCP : 0;
    std::memcpy(value, &protocol, sizeof protocol);
    return 0;
}
int __wrap_connect(int fd, const sockaddr* to, socklen_t bytes) {
    if (!is_simulated(fd)) return __real_connect(fd, to, bytes);
    // connect_to() simulates interruptions, because an interrupted connect continues in the background.
    // on_socket() would interrupt the call a second time.
    simulated().enter();
    const std::int64_t result = simulated().find_socket(fd)->connect_to(name_of(*to));
    simulated().log.note(simulated().time(), "connect", fd, 0, result);
    return told(result);
}
int __wrap_accept4(int fd, sockaddr* from, socklen_t* bytes, int flags) {
    if (!is_simulated(fd)) return __real_accept4(fd, from, bytes, flags);
    return on_socket("accept4", fd, 0, [](socket_file& socket) { return socket.accept(); });
}
ssize_t __wrap_recv(int fd, void* data, size_t bytes, int flags) {
    if (!is_simulated(fd)) return __real_recv(fd, data, bytes, flags);
    return on_socket<ssize_t>("recv", fd, bytes, [&](socket_file& socket) {
        return socket.receive({static_cast<std::byte*>(data), bytes});
    });
}
ssize_t __wrap_send(int fd, const void* data, size_t bytes, int flags) {
    if (!is_simulated(fd)) return __real_send(fd, data, bytes, flags);
    return on_socket<ssize_t>("send", fd, bytes, [&](socket_file& socket) {
        return socket.send({static_cast<const std::byte*>(data), bytes});
    });
}
int __wrap_shutdown(int fd, int how) {
    if (!is_simulated(fd)) return __real_shutdown(fd, how);
    simulated().enter();
    return told(simulated().find_socket(fd)->shut_down_writing());
}

int __wrap_io_uring_queue_init_params(unsigned submissions, io_uring* shown, io_uring_params* parameters) {
    if (!is_simulated()) return __real_io_uring_queue_init_params(submissions, shown, parameters);
    simulated().the_ring = std::make_unique<ring>(simulated(), *shown, submissions, parameters->cq_entries);
    return 0;
}
void __wrap_io_uring_queue_exit(io_uring* shown) {
    if (!is_simulated()) return __real_io_uring_queue_exit(shown);
    simulated().the_ring.reset();
}
int __wrap_io_uring_register(unsigned fd, unsigned what, const void* argument, unsigned count) {
    return is_simulated() ? 0 : __real_io_uring_register(fd, what, argument, count);
}
int __wrap_io_uring_register_buf_ring(io_uring* shown, io_uring_buf_reg* registered, unsigned flags) {
    if (!is_simulated()) return __real_io_uring_register_buf_ring(shown, registered, flags);
    simulated().the_ring->add_buffers(*registered);
    return 0;
}
int __wrap_io_uring_unregister_buf_ring(io_uring* shown, int group) {
    return is_simulated() ? 0 : __real_io_uring_unregister_buf_ring(shown, group);
}
int __wrap_io_uring_submit_and_get_events(io_uring* shown) {
    if (!is_simulated()) return __real_io_uring_submit_and_get_events(shown);
    return simulated().the_ring->enter(*shown, 0);
}
int __wrap_io_uring_submit_and_wait(io_uring* shown, unsigned completions) {
    if (!is_simulated()) return __real_io_uring_submit_and_wait(shown, completions);
    return simulated().the_ring->enter(*shown, completions);
}

}  // extern "C"

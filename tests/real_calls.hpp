// The C library's functions that tests replace through the linker (--wrap): a call of NAME in the loop calls
// the test's __wrap_NAME, and __real_NAME is the C library's function.
#pragma once

#include <liburing.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

extern "C" {
int __real_epoll_create1(int);
int __real_epoll_ctl(int, int, int, epoll_event*);
int __real_epoll_wait(int, epoll_event*, int, int);
int __real_timerfd_create(int, int);
int __real_timerfd_settime(int, int, const itimerspec*, itimerspec*);
int __real_eventfd(unsigned, int);
ssize_t __real_read(int, void*, size_t);
ssize_t __real_write(int, const void*, size_t);
int __real_ppoll(pollfd*, nfds_t, const timespec*, const sigset_t*);
int __real_pselect(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
ssize_t __real_recv(int, void*, size_t, int);
ssize_t __real_send(int, const void*, size_t, int);
int __real_accept4(int, sockaddr*, socklen_t*, int);
int __real_connect(int, const sockaddr*, socklen_t);
int __real_poll(pollfd*, nfds_t, int);
int __real_getsockopt(int, int, int, void*, socklen_t*);
int __real_close(int);
int __real_socket(int, int, int);
int __real_bind(int, const sockaddr*, socklen_t);
int __real_listen(int, int);
int __real_setsockopt(int, int, int, const void*, socklen_t);
int __real_getsockname(int, sockaddr*, socklen_t*);
int __real_shutdown(int, int);
int __real_nanosleep(const timespec*, timespec*);
int __real_io_uring_queue_init_params(unsigned, io_uring*, io_uring_params*);
int __real_io_uring_register(unsigned, unsigned, const void*, unsigned);
int __real_io_uring_register_buf_ring(io_uring*, io_uring_buf_reg*, unsigned);
int __real_io_uring_unregister_buf_ring(io_uring*, int);
int __real_io_uring_submit_and_get_events(io_uring*);
int __real_io_uring_submit_and_wait(io_uring*, unsigned);
}

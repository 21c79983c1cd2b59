#include "bench/suite/floors/threads_epoll.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "bench/suite/workloads/sockets/echo_session.hpp"

namespace loopbench::bench::floors {

namespace {

using loop::checked;
using loop::unique_fd;

// The tags of the descriptors that derived classes do not watch. A connection's tag is `first_session` plus
// its number.
constexpr std::uint64_t first_session = std::uint64_t{1} << 32U, woken_tag = std::uint64_t{1} << 33U,
                        listening_tag = woken_tag + 1;

}  // namespace

bool send_whole(int fd, std::span<const std::byte> bytes) noexcept {
    return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

epoll_threads::epoll_threads(const thread_plan& plan, trial& t, std::size_t units, std::size_t sessions)
    : records(t, plan.threads, units),
      members_(plan.threads),
      sessions_(sessions),
      listeners_(loop::open_shared_listeners(loop::endpoint::loopback(0), plan.threads)),
      port_(loop::local_endpoint(listeners_.front().get())),
      crew_(plan, {.prepare = [this](std::size_t thread) { open(thread); },
                   .work = [this](std::size_t thread) { work(thread); },
                   .end_work = [this] { finish(); }}) {}

std::vector<std::uint64_t> epoll_threads::served_bytes() const {
    std::vector<std::uint64_t> all;
    for (const session& each : sessions_) all.push_back(each.served_bytes);
    return all;
}

void epoll_threads::finish() noexcept {
    is_finished_.store(true, std::memory_order_release);
    wake_all();
}

void epoll_threads::wake(std::size_t thread) const noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(members_[thread].wake.get(), &one, sizeof one);
}

void epoll_threads::wake_all() const noexcept {
    for (std::size_t thread = 0; thread < threads(); ++thread) wake(thread);
}

void epoll_threads::watch(std::size_t thread, int fd, std::uint64_t tag) const {
    add(thread, fd, EPOLLIN | EPOLLET, tag);
}

void epoll_threads::add(std::size_t thread, int fd, std::uint32_t events, std::uint64_t tag) const {
    epoll_event event{.events = events, .data = {.u64 = tag}};
    checked(::epoll_ctl(members_[thread].epoll.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

void epoll_threads::open(std::size_t thread) {
    member& own = members_[thread];
    own.epoll.reset(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"));
    own.wake.reset(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"));
    watch(thread, own.wake.get(), woken_tag);
    watch(thread, listeners_[thread].get(), listening_tag);
}

void epoll_threads::work(std::size_t thread) {
    begin(thread);
    std::array<epoll_event, 1024> events;
    while (!is_finished() || !can_end(thread)) {
        const int count =
            ::epoll_wait(members_[thread].epoll.get(), events.data(), static_cast<int>(events.size()), -1);
        if (count < 0 && errno == EINTR) continue;
        for (const epoll_event& each :
             std::span(events).first(static_cast<std::size_t>(checked(count, "epoll_wait"))))
            handle(thread, each);
    }
}

void epoll_threads::handle(std::size_t thread, const epoll_event& event) {
    const std::uint64_t tag = event.data.u64;
    if (tag == woken_tag) {
        woken(thread);
    } else if (tag == listening_tag) {
        accept_all(thread);
    } else if (tag >= first_session) {
        serve(sessions_[tag - first_session], (event.events & EPOLLRDHUP) != 0);
    } else {
        readable(thread, tag);
    }
}

void epoll_threads::accept_all(std::size_t thread) {
    for (;;) {
        const int fd = ::accept4(listeners_[thread].get(), nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0 && errno == EAGAIN) return;
        unique_fd accepted(checked(fd, "accept"));
        loop::set_no_delay(fd);
        const std::size_t number = accepted_.fetch_add(1, std::memory_order_relaxed);
        if (number >= sessions_.size()) {
            records.fail("the server accepted more connections than the clients opened");
            return finish();
        }
        sessions_[number].fd = std::move(accepted);
        session_begins();
        add(thread, fd, EPOLLIN | EPOLLRDHUP | EPOLLET, first_session + number);
    }
}

/// Echoes the received bytes. A single read is enough if it does not fill the buffer and if the client has
/// not closed its end.
void epoll_threads::serve(session& own, bool until_end) {
    std::array<std::byte, workloads::echo_buffer_bytes_min> buffer;
    ssize_t bytes;
    do {
        bytes = ::recv(own.fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (bytes < 0 && errno == EAGAIN) return;
        if (bytes <= 0) break;
        records.operations[this_thread_index()].add();
        own.served_bytes += static_cast<std::uint64_t>(bytes);
        if (!send_whole(own.fd.get(), std::span(buffer).first(static_cast<std::size_t>(bytes)))) bytes = 0;
    } while (bytes > 0 && (until_end || bytes == static_cast<ssize_t>(buffer.size())));
    if (bytes > 0) return;
    own.fd.reset();  // otherwise, the client would wait for a reply
    session_ended();
}

}  // namespace loopbench::bench::floors

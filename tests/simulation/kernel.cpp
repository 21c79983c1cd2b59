#include "tests/simulation/kernel.hpp"

#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/simulation/ring.hpp"

namespace loopbench::simulation {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t calls_of_turn_max = 200'000;
constexpr nanoseconds boot = 1h;

}  // namespace

kernel* kernel::current = nullptr;

std::string name_of(const sockaddr& address) {
    if (address.sa_family == AF_UNIX) return reinterpret_cast<const sockaddr_un&>(address).sun_path;
    return fmt::format("port {}", ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port));
}

kernel::kernel(std::uint64_t seed, defect what, std::string* trace_text)
    : random(seed), log(trace_text), step(1 + random.any_magnitude(12)), planted_(what), time_(boot) {
    current = this;
}
kernel::~kernel() {
    current = nullptr;
}

nanoseconds kernel::clock() {
    enter();
    if (is_planted(defect::early_clock, 50)) return time_ + 1us;
    if (is_planted(defect::stopped_clock, 1'000) && stopped_at_ == 0ns) stopped_at_ = time_;
    return stopped_at_ != 0ns ? stopped_at_ : time_;
}

void kernel::sleep(nanoseconds duration) {
    enter();
    const auto unseen = std::exchange(before_sleep, nullptr);  // no check: nanosleep(2) ignores readiness
    sleep_until(time_ + duration, [] { return false; });
    before_sleep = unseen;
}

void kernel::after(nanoseconds delay, std::function<void()> what) {
    coming_.push_back({time_ + delay, ++last_happening_, std::move(what)});
    std::push_heap(coming_.begin(), coming_.end());
}

void kernel::enter() {
    if (++calls_of_turn > calls_of_turn_max)
        fail(fmt::format("a turn does not end; it has made {} calls", calls_of_turn));
    // The machine pauses in one of 2,000 calls. One of 100 pauses is long, as if the machine had been
    // suspended.
    nanoseconds passed = step + nanoseconds(static_cast<std::int64_t>(random.below(100)));
    if (random.one_in(2'000)) passed += random.time_of_any_magnitude(random.one_in(100) ? 42 : 27);
    happen_until(time_ + passed);
    time_ += passed;
    if (other_threads && !std::exchange(in_other_thread_, true)) {
        other_threads();
        in_other_thread_ = false;
    }
}

// Makes all events happen that are due at or before `when`, in the order of their times. These events can
// cause further events, which also happen if they are due.
void kernel::happen_until(nanoseconds when) {
    const nanoseconds began = time_;
    while (!coming_.empty() && coming_.front().when <= when) {
        std::pop_heap(coming_.begin(), coming_.end());
        const happening next = std::move(coming_.back());
        coming_.pop_back();
        time_ = std::max(time_, next.when);
        next.what();
    }
    time_ = began;
}

bool kernel::sleep_until(nanoseconds deadline, const std::function<bool()>& is_over) {
    while (!is_over()) {
        if (coming_.empty() && deadline == forever)
            fail("the loop sleeps for ever" + (who_waits ? who_waits() : ""));
        const nanoseconds next = coming_.empty() ? forever : coming_.front().when;
        if (std::min(next, deadline) > time_) {
            if (before_sleep) before_sleep();
            time_ = std::min(next, deadline);
        }
        if (random.one_in(8)) time_ += random.time_of_any_magnitude(16);
        happen_until(time_);
        if (!is_over() && next >= deadline) return false;
    }
    return true;
}

int kernel::open(std::shared_ptr<file> what) {
    int fd = first_descriptor;
    for (const auto& [taken, held] : descriptors_) {
        if (taken != fd) break;
        ++fd;
    }
    ++what->holders;
    descriptors_.emplace(fd, std::move(what));
    return fd;
}

file* kernel::find(int fd) noexcept {
    const auto found = descriptors_.find(fd);
    return found == descriptors_.end() ? nullptr : found->second.get();
}

std::int64_t kernel::close(int fd) {
    const auto found = descriptors_.find(fd);
    if (found == descriptors_.end())
        fail(fmt::format("the loop closes descriptor {}, which is not open", fd));
    const auto closed = std::move(found->second);
    descriptors_.erase(found);
    drop(*closed);
    return 0;
}

void kernel::drop(file& held) {
    if (--held.holders != 0) return;
    if (held.watched_as >= 0) interests_.erase(held.watched_as);
    held.watched_as = -1;
    held.release();
}

void kernel::changed(file& what) {
    if (is_planted(defect::lost_event, 500)) {
        if (what.watched_as >= 0) return;
        what.is_deaf = true;
    }
    if (what.watched_as >= 0) list(what.watched_as);
    if (the_ring && !what.is_deaf) the_ring->look_again(what);
}

void kernel::list(int fd) {
    interest& of = interests_.at(fd);
    if (std::exchange(of.is_listed, true)) return;
    listed_.push_back(fd);
}

std::int64_t kernel::epoll_control(int what, int fd, const epoll_event& event) {
    enter();
    const auto target = share(fd);
    if (!target) return -EBADF;
    const auto found = interests_.find(fd);
    if (what == EPOLL_CTL_ADD && found != interests_.end()) return -EEXIST;
    if (what != EPOLL_CTL_ADD && found == interests_.end()) return -ENOENT;
    if (what == EPOLL_CTL_DEL) {
        target->watched_as = -1;
        interests_.erase(found);
        return 0;
    }
    if (what == EPOLL_CTL_ADD) target->watched_as = fd;
    interest& of = interests_[fd];
    of.what = target;
    of.events = event.events;
    of.data = event.data.u64;
    if ((target->events() & of.events) != 0) list(fd);
    return 0;
}

std::int64_t kernel::epoll_wait(std::span<epoll_event> events, bool blocks) {
    enter();
    if (is_interrupted()) return -EINTR;
    std::size_t count = 0;
    const auto collect = [&] {
        // Some calls return at most four events, as if the other events had happened a moment later.
        const std::size_t count_max = random.one_in(4) ? 1 + random.below(4) : events.size();
        std::vector<int> by_level;  // level-triggered descriptors, which the next wait must check again
        while (!listed_.empty() && count < count_max) {
            const int fd = listed_.front();
            listed_.pop_front();
            const auto found = interests_.find(fd);
            if (found == interests_.end() || !found->second.is_listed) continue;
            interest& of = found->second;
            of.is_listed = false;
            std::uint32_t reported = of.what->events() & (of.events | ready::error | ready::hang_up);
            // Sometimes, epoll_wait() reports an event that has not happened. The next read or write then
            // returns EAGAIN.
            if (random.one_in(500)) reported |= of.events & (ready::in | ready::out);
            if (reported == 0) continue;
            events[count].events = reported;
            events[count].data.u64 = of.data;
            ++count;
            if ((of.events & static_cast<std::uint32_t>(EPOLLET)) == 0) by_level.push_back(fd);
        }
        for (const int fd : by_level) list(fd);
        return count != 0;
    };
    if (!collect() && blocks) sleep_until(forever, collect);
    log.note(time_, "epoll_wait", blocks, 0, static_cast<std::int64_t>(count));
    return static_cast<std::int64_t>(count);
}

std::int64_t kernel::poll(std::span<pollfd> fds, nanoseconds timeout) {
    enter();
    if (is_interrupted()) return -EINTR;
    std::int64_t count = 0;
    const auto collect = [&] {
        for (pollfd& each : fds) {
            const file* const of = find(each.fd);
            const unsigned asked = static_cast<unsigned short>(each.events) | ready::error | ready::hang_up;
            const unsigned found = of == nullptr ? unsigned{POLLNVAL} : reported_events(*of) & asked;
            each.revents = static_cast<short>(found);
            count += found != 0;
        }
        return count != 0;
    };
    if (!collect() && timeout != 0ns) sleep_until(timeout == forever ? forever : time_ + timeout, collect);
    log.note(time_, "poll", timeout.count(), 0, count);
    return count;
}

std::int64_t kernel::select(int count, fd_set& in, fd_set& out, nanoseconds timeout) {
    std::vector<pollfd> fds;
    for (int fd = first_descriptor; fd < count; ++fd) {
        const int events = (FD_ISSET(fd, &in) ? POLLIN : 0) | (FD_ISSET(fd, &out) ? POLLOUT : 0);
        if (events != 0) fds.push_back({fd, static_cast<short>(events), 0});
    }
    const std::int64_t found = poll(fds, timeout);
    if (found < 0) return found;
    FD_ZERO(&in);
    FD_ZERO(&out);
    for (const pollfd& each : fds) {
        constexpr int broken = POLLHUP | POLLERR;
        if ((each.revents & POLLNVAL) != 0) return -EBADF;
        if ((each.events & POLLIN) != 0 && (each.revents & (POLLIN | broken)) != 0) FD_SET(each.fd, &in);
        if ((each.events & POLLOUT) != 0 && (each.revents & (POLLOUT | POLLERR)) != 0) FD_SET(each.fd, &out);
    }
    return found;
}

}  // namespace loopbench::simulation

#include "tests/simulation/ring.hpp"

#include <algorithm>
#include <utility>

namespace loopbench::simulation {

namespace {

constexpr int requests_of_an_entry = 20;

const __kernel_timespec& time_at(std::uint64_t address) noexcept {
    return *reinterpret_cast<const __kernel_timespec*>(address);
}
std::string address_at(std::uint64_t address) {
    return name_of(*reinterpret_cast<const sockaddr*>(address));
}
nanoseconds as_time(const __kernel_timespec& time) noexcept {
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

}  // namespace

ring::order::order(const io_uring_sqe& submitted) noexcept
    : opcode(submitted.opcode),
      user_data(submitted.user_data),
      fd(submitted.fd),
      address(submitted.addr),
      second_address(submitted.addr2),
      length(submitted.len),
      flags(submitted.poll32_events),
      more_flags(submitted.ioprio) {}

ring::ring(kernel& of, io_uring& shown, unsigned submissions, unsigned completions)
    : kernel_(of), submissions_(submissions), completions_(completions) {
    static_assert(sizeof submissions_[0] == sizeof(io_uring_sqe));
    static_assert(sizeof completions_[0] == sizeof(io_uring_cqe));
    shown = {};
    shown.ring_fd = shown.enter_ring_fd = kernel::first_descriptor - 1;
    shown.sq.khead = &submissions_taken_;
    shown.sq.ktail = &submissions_made_;
    shown.sq.kflags = &flags_;
    shown.sq.sqes = reinterpret_cast<io_uring_sqe*>(submissions_.data());
    shown.sq.ring_entries = submissions;
    shown.sq.ring_mask = submissions - 1;
    shown.cq.khead = &completions_taken_;
    shown.cq.ktail = &completions_made_;
    shown.cq.cqes = reinterpret_cast<io_uring_cqe*>(completions_.data());
    shown.cq.ring_entries = completions;
    shown.cq.ring_mask = completions - 1;
}
ring::~ring() {
    while (!pending_.empty()) end(pending_.begin());
}

void ring::add_buffers(const io_uring_buf_reg& registered) {
    buffers_ = reinterpret_cast<io_uring_buf_ring*>(registered.ring_addr);
    buffer_mask_ = registered.ring_entries - 1;
}

void ring::look_again(const file& changed) noexcept {
    for (request& each : pending_)
        if (each.on.get() == &changed) let_go_on(each);
}

void ring::let_go_on(request& each) noexcept {
    each.may_go_on = true;
    flags_ |= IORING_SQ_TASKRUN;
}

int ring::enter(io_uring& shown, unsigned completions_wanted) {
    kernel_.enter();
    if (kernel_.is_interrupted()) return kernel_.random.one_in(2) ? -EINTR : -EAGAIN;
    const unsigned count = shown.sq.sqe_tail - submissions_taken_;
    for (; submissions_taken_ != shown.sq.sqe_tail; ++submissions_taken_)
        take(order(shown.sq.sqes[submissions_taken_ & shown.sq.ring_mask]));
    go_on();
    const auto has_enough = [&] {
        go_on();
        return completions_made_ - completions_taken_ >= completions_wanted;
    };
    if (completions_wanted != 0 && !has_enough()) kernel_.sleep_until(kernel::forever, has_enough);
    kernel_.log.note(kernel_.time(), "io_uring_enter", count, completions_wanted,
                     completions_made_ - completions_taken_);
    return static_cast<int>(count);
}

void ring::take(const order& submitted) {
    switch (submitted.opcode) {
        case IORING_OP_TIMEOUT:
            return set_timeout(submitted);
        case IORING_OP_TIMEOUT_REMOVE:
            return complete(submitted, update_timeout(submitted));
        case IORING_OP_ASYNC_CANCEL:
            return cancel(submitted);
        default:
            break;
    }
    request made{submitted, kernel_.share(submitted.fd)};
    if (!made.on) return complete(submitted, -EBADF);
    ++made.on->holders;
    pending_.push_back(std::move(made));
    if (advance(pending_.back())) end(std::prev(pending_.end()));
}

void ring::go_on() {
    if (has_timed_out_) {
        has_timed_out_ = false;
        const order timeout(std::exchange(timeout_, 0));
        complete(timeout, -ETIME);
    }
    if ((flags_ & IORING_SQ_TASKRUN) == 0) return;
    flags_ &= ~unsigned{IORING_SQ_TASKRUN};
    int left = requests_of_an_entry;
    for (auto each = pending_.begin(); each != pending_.end();) {
        const auto here = each++;
        if (!here->may_go_on) continue;
        if (left-- == 0) return let_go_on(*here);
        here->may_go_on = false;
        if (advance(*here)) end(here);
    }
}

// Continues a request. Returns true if the request has ended and its last completion is in the queue.
bool ring::advance(request& each) {
    const order& what = each.what;
    auto* const socket = dynamic_cast<socket_file*>(each.on.get());
    std::int64_t result = -EINVAL;
    unsigned flags = 0;
    switch (what.opcode) {
        case IORING_OP_POLL_ADD: {
            const unsigned found = each.on->events() & (what.flags | ready::error | ready::hang_up);
            const bool continues = (what.length & IORING_POLL_ADD_MULTI) != 0;
            // A multishot poll reports the current readiness when it begins, and later every change.
            if (found != 0) complete(what, static_cast<int>(found), continues ? IORING_CQE_F_MORE : 0U);
            return found != 0 && !continues;
        }
        case IORING_OP_RECV:
            if ((what.more_flags & IORING_RECV_MULTISHOT) != 0) return receive(each);
            result = socket->receive({reinterpret_cast<std::byte*>(what.address), what.length});
            break;
        case IORING_OP_SEND:
            result = socket->send({reinterpret_cast<const std::byte*>(what.address), what.length});
            break;
        case IORING_OP_ACCEPT:
            result = socket->accept();
            if (result >= 0 && socket->has_backlog()) flags = IORING_CQE_F_SOCK_NONEMPTY;
            break;
        case IORING_OP_CONNECT:
            result = each.is_started && socket->is_connecting ? -EALREADY
                                                              : socket->connect_to(address_at(what.address));
            // If the backlog is full, a worker thread of the real kernel tries to connect again.
            if (result == -EAGAIN)
                kernel_.after(kernel_.random.time_of_any_magnitude(24),
                              [&of = kernel_, on = each.on] { of.changed(*on); });
            if (result == -EINPROGRESS || result == -EALREADY || result == -EINTR) result = -EAGAIN;
            break;
        default:
            fail(fmt::format("the loop submits the unknown io_uring operation {}", what.opcode));
    }
    each.is_started = true;
    if (result == -EAGAIN) return false;
    complete(what, static_cast<int>(result), flags);
    return true;
}

bool ring::receive(request& each) {
    auto& socket = static_cast<socket_file&>(*each.on);
    const order& what = each.what;
    for (int parts = 32; parts > 0; --parts) {
        if ((socket.events() & (ready::in | ready::error)) == 0) return false;
        const auto made = static_cast<std::uint16_t>(__atomic_load_n(&buffers_->tail, __ATOMIC_ACQUIRE));
        if (buffers_used_ == made) {
            complete(what, -ENOBUFS);
            return true;
        }
        const io_uring_buf& buffer = buffers_->bufs[buffers_used_ & buffer_mask_];
        const std::int64_t result = socket.receive({reinterpret_cast<std::byte*>(buffer.addr), buffer.len});
        if (result == -EAGAIN) return false;
        if (result <= 0) {
            complete(what, static_cast<int>(result));
            return true;
        }
        ++buffers_used_;
        // Sometimes, a multishot request ends. The loop must then submit it again.
        const bool continues = !kernel_.random.one_in(100);
        complete(what, static_cast<int>(result),
                 IORING_CQE_F_BUFFER | unsigned{buffer.bid} << IORING_CQE_BUFFER_SHIFT |
                     (continues ? IORING_CQE_F_MORE : 0U));
        if (!continues) return true;
    }
    let_go_on(each);
    return false;
}

void ring::cancel(const order& asked) {
    const bool all = (asked.flags & IORING_ASYNC_CANCEL_ANY) != 0;
    int found = 0;
    for (auto each = pending_.begin(); each != pending_.end();) {
        const auto next = std::next(each);
        if (all || each->what.user_data == asked.address) {
            ++found;
            complete(each->what, -ECANCELED);
            end(each);
            if (!all) break;
        }
        each = next;
    }
    if (all && timeout_ != 0) {
        const order timeout(std::exchange(timeout_, 0));
        ++setting_;
        has_timed_out_ = false;
        complete(timeout, -ECANCELED);
        ++found;
    }
    complete(asked, found == 0 ? -ENOENT : all ? found : 0);
}

void ring::set_timeout(const order& asked) {
    timeout_ = asked.user_data;
    const unsigned setting = ++setting_;
    const nanoseconds delay = as_time(time_at(asked.address)) - kernel_.time();
    if (kernel_.is_planted(defect::lost_timer, 50)) return;
    kernel_.after(std::max(delay, nanoseconds(0)), [this, &of = kernel_, setting] {
        if (of.the_ring.get() != this || setting != setting_) return;
        has_timed_out_ = true;
        flags_ |= IORING_SQ_TASKRUN;
    });
}

int ring::update_timeout(const order& asked) {
    if (timeout_ == 0 || timeout_ != asked.address) return -ENOENT;
    if (has_timed_out_) return -EALREADY;
    order timeout(timeout_);
    timeout.address = asked.second_address;
    set_timeout(timeout);
    return 0;
}

void ring::complete(const order& of, int result, unsigned flags) {
    if (completions_made_ - completions_taken_ == completions_.size()) fail("the completion queue is full");
    auto& made = reinterpret_cast<io_uring_cqe&>(completions_[completions_made_ & (completions_.size() - 1)]);
    made.user_data = of.user_data;
    made.res = result;
    made.flags = flags;
    ++completions_made_;
}

void ring::end(requests::iterator ended) {
    const std::shared_ptr<file> on = std::move(ended->on);
    pending_.erase(ended);
    kernel_.drop(*on);
}

}  // namespace loopbench::simulation

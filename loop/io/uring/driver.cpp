// The driver enters the kernel once per turn: one system call submits the requests that the turn has started,
// sleeps, and receives the completions. With 100 connections, one call serves dozens of operations. This
// batching is the only advantage of io_uring; a single send costs the same with and without it.
//
// Some facts about the kernel are surprising, in addition to those in ring.hpp:
// - A pending receive occupies the buffer of its caller. Therefore streams have feeds (stream_feed.hpp).
// - A pending request keeps its file open; close(2) alone would not send a FIN. Therefore the driver's
//   close() cancels the requests and enters the kernel immediately. It cancels each request separately and
//   not the whole file, because the file may have other descriptors.
// - A multishot accept also accepts connections for which no task waits. Therefore each accept is a separate
//   request; if its completion reports that more connections are waiting, the driver makes the next accepts
//   as plain system calls (measured by accept/... in bench/suite/choices).
// - A connection wakes only one of several pending accepts. If this accept is cancelled at the same moment,
//   the other accepts continue to sleep. Therefore the driver submits only one accept per listener.
// - A request for readiness also ends when there is an error or when the peer stops sending (IO_POLL_UNMASK
//   in io_uring/poll.c). While this state lasts, every new request ends immediately. Therefore, if an
//   operation that waits to write still cannot write after such an end, the driver uses a multishot request.
//   The multishot request reports the current state once and then each change.
// - A cancellation is often too late. The cancelled request still completes exactly once; its memory must not
//   be reused before that.
// - The driver does not use registered files. They would shorten a bare round trip by less than 2 %
//   (bench/suite/choices, echo/...). Up to Linux 6.12, a file that was removed from the table is not released
//   before all older requests have ended.
// - Neither of the two kinds of timeouts has timer slack. The timeout argument of io_uring_enter(2) would
//   have to be set up again for every sleep. Therefore the driver uses an absolute IORING_OP_TIMEOUT, which
//   stays armed from turn to turn.

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <new>

#include "loop/io/drivers.hpp"
#include "loop/io/uring/ring.hpp"
#include "loop/io/uring/stream_feed.hpp"
#include "loop/io/waiting.hpp"

namespace loopbench::loop {

namespace {

constexpr std::size_t transfer_bytes_max = std::size_t{1} << 30;  // a request stores the size in 32 bits

unsigned events_of(io_kind kind) noexcept {
    if (kind == io_kind::urgent_call) return POLLPRI;
    return is_input(kind) ? POLLIN : POLLOUT;
}

// Returns an additional event to ask for, because POLLPRI alone does not wake a request for readiness
// (IO_ASYNC_POLL_COMMON in io_uring/poll.c of Linux 6.1). Urgent data wakes for POLLRDBAND, too.
unsigned what_wakes(io_kind kind) noexcept {
    return kind == io_kind::urgent_call ? POLLRDBAND : 0;
}

// Fills in the request for an operation. If io_uring has no request for this kind of operation, fills in a
// request for readiness; the driver then makes the system call after the completion.
void prepare(io_uring_sqe& sqe, io_operation& op) noexcept {
    std::byte* const data = op.data + op.moved;
    const auto bytes = static_cast<unsigned>(std::min(op.size - op.moved, transfer_bytes_max));
    switch (op.polled ? io_kind::readable : op.kind) {
        case io_kind::receive:
            return io_uring_prep_recv(&sqe, op.fd, data, bytes, 0);
        case io_kind::send:
            return io_uring_prep_send(&sqe, op.fd, data, bytes, MSG_NOSIGNAL);
        case io_kind::read:
            return io_uring_prep_read(&sqe, op.fd, data, bytes, current_position);
        case io_kind::write:
            return io_uring_prep_write(&sqe, op.fd, data, bytes, current_position);
        case io_kind::read_file:
            return io_uring_prep_readv(&sqe, op.fd, reinterpret_cast<const iovec*>(op.data),
                                       static_cast<unsigned>(op.size), op.position);
        case io_kind::write_file:
            return io_uring_prep_writev(&sqe, op.fd, reinterpret_cast<const iovec*>(op.data),
                                        static_cast<unsigned>(op.size), op.position);
        case io_kind::accept:
            return io_uring_prep_accept(&sqe, op.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        case io_kind::connect:
            return io_uring_prep_connect(&sqe, op.fd, reinterpret_cast<const sockaddr*>(op.address),
                                         op.address_bytes);
        default:
            op.polled = true;
            io_uring_prep_poll_add(&sqe, op.fd, events_of(op.kind) | what_wakes(op.kind));
            if (op.by_edge) sqe.len |= IORING_POLL_ADD_MULTI;
    }
}

class driver_on_ring final : public io_uring_driver {
public:
    driver_on_ring(ready_queue& ready, const uring_limits& limits)
        : io_uring_driver(ready), ring_(limits), buffers_(ring_.native(), limits.buffers) {
        arm_wake();
    }
    ~driver_on_ring() override { ring_.cancel_all(); }

    bool start(io_operation& op) override {
        if (op.fd < 0) {
            op.result = -EBADF;
            return true;
        }
        op.polled = op.by_edge = false;
        op.state = queued;
        if (!can_submit()) [[unlikely]] {
            // The operation is tried immediately, because a program may write and then wait for the answer
            // without running the loop. Files have no answers, and their calls wait for the disk.
            if (waits_its_turn(op) && !is_file(op.kind) && !has_predecessor(op) && attempt(op)) return true;
            to_start_.push(op);
        } else if (start_now(op)) {
            return true;
        }
        set_pending(op);
        return false;
    }

    bool runs_in_this_thread() const noexcept override { return ring_.runs_in_this_thread(); }

    void enter_thread(bool for_long) override {
        lends_buffers_ = for_long;
        if (runs_in_this_thread()) return;
        if (lent_ != 0) {
            throw_errno(
                "io_uring: the loop still has pending requests in the thread that ran the loop before; run "
                "the loop in that thread again",
                EEXIST);
        }
        begin_anew();
    }

    void begin_anew_in_child() override {
        wake_event fresh;  // first, because it can throw
        ring_.disown();
        wake_ = std::move(fresh);
        lent_ = 0;  // the kernel writes into the memory of the parent
        begin_anew();
    }

    void leave_thread(bool cancels) noexcept override {
        lends_buffers_ = false;
        if (ring_.is_enabled() && ring_.runs_in_this_thread())
            cancels ? take_requests_back() : cancel_for_other_threads();
        end_waits();
    }
    void await_close(int fd) noexcept override {
        constexpr std::chrono::milliseconds longest_wait{100};  // the callback might wait for this thread
        const descriptor* const d = descriptors_.find(fd);
        if (d == nullptr || d->next_lacking == 0 || cancel_rounds_ == given_up_in_) return;
        const auto is_over = [this, before = cancel_rounds_] { return cancel_rounds_ != before; };
        ++waiting_threads_;
        if (is_in_kernel_) {
            wake();
            has_cancelled_.wait(*lock(), is_over);
        } else if (!has_cancelled_.wait_for(*lock(), longest_wait, is_over)) {
            given_up_in_ = cancel_rounds_;
        }
        --waiting_threads_;
    }

    void cancel_some(int fd, io_choice choice, io_queue& ended) noexcept override {
        io_queue others;
        while (!to_start_.empty()) {
            io_operation& op = to_start_.pop();
            op.fd == fd&& choice.holds(op) ? end(op, ended) : others.push(op);
        }
        to_start_.prepend(std::move(others));
        descriptor* const d = descriptors_.find(fd);
        if (d == nullptr) return;
        end_some(d->waiting, choice, ended);
        end_ripe(fd, choice, ended);
        start_waiting(*d);
        bool cancels = false;
        d->requests.for_each([&](operation& each) {
            auto& op = static_cast<io_operation&>(each);
            if ((op.state == in_kernel || op.state == reported) && choice.holds(op)) op.state = cancelling;
            cancels |= op.state != in_kernel;
        });
        if (cancels) cancel_requests(fd, *d, ended);
    }

    void will_cancel() noexcept override { polls_first_ = true; }

    void drop_received(int fd) noexcept override {
        descriptor* const d = descriptors_.find(fd);
        if (d == nullptr) return;
        ++d->closes;
        d->requests.for_each([](operation& each) { static_cast<io_operation&>(each).state = dropped; });
    }

    void take_all(io_queue& ended) noexcept override {
        for (int fd = 0; ripe_.find(fd) != nullptr; ++fd) end_ripe(fd, {}, ended);
        for (descriptor& d : descriptors_) {
            end_some(d.waiting, {}, ended);
            while (!d.requests.empty()) {
                io_operation& op = d.requests.front();
                discard(op);
                op.result = -ECANCELED;
                ended.push(op);
            }
        }
        end_some(to_start_, {}, ended);
    }

    void cancel(io_operation& op) noexcept override {
        if (op.state == queued) return driver::cancel(op);
        if (op.state != in_kernel) return;
        op.state = cancelling;
        submit_cancel(op.fd, user_data(op));
    }

    void discard(io_operation& op) noexcept override {
        descriptor* const d = descriptors_.find(op.fd);
        if (op.state == queued) {
            if (d == nullptr || !d->waiting.remove(op)) to_start_.remove(op);
            return set_not_pending(op);
        }
        if (op.state == ripe) {
            ripe_at(op.fd)->ops.remove(op);
            --ripe_count_;
            return set_not_pending(op);
        }
        discarded_ = &op;
        // The kernel may refuse the cancellation if it lacks memory. Each completion frees some memory;
        // therefore the cancellation is tried again after each wait for completions, until the kernel has
        // accepted it.
        for (bool asked = false; op.pending;) {
            asked = asked || submit_cancel(op.fd, user_data(op));
            if (!ring_.await_completion()) break;
            take_completions();
        }
        discarded_ = nullptr;
        if (!op.pending) return;
        d->requests.remove(op);
        if (!op.polled) --lent_;
        set_not_pending(op);
    }

    void close(int fd) noexcept override {
        io_queue others;
        while (!to_start_.empty()) {
            io_operation& op = to_start_.pop();
            op.fd == fd ? complete(op, -ECANCELED) : others.push(op);
        }
        to_start_.prepend(std::move(others));
        descriptor* const d = descriptors_.find(fd);
        if (d == nullptr) return;
        cancel_all(d->waiting);
        d->feed.close(buffers_);
        d->accepting = d->has_backlog = false;
        if (d->requests.empty() && !d->feed.is_closed()) return;
        const bool submits = can_submit();
        if (!submits) cancel_later(fd, *d);
        d->requests.for_each([&](operation& each) {
            auto& op = static_cast<io_operation&>(each);
            if (submits && op.state == in_kernel) submit_cancel(fd, user_data(op));
            if (op.state != done && op.state != dropped) op.state = closed;
        });
        if (!submits) return;
        if (d->feed.is_closed()) submit_cancel(fd, user_data(owner::feed, fd));
        static_cast<void>(ring_.settle());
    }

    void wait(time_point deadline) override {
        if (!ring_.is_enabled()) [[unlikely]]
            ring_.enable();
        // The next lines submit the requests that could not be submitted before, because the kernel lacked
        // memory, or because they were made in another thread or before the first wait().
        if (!wake_is_armed_) arm_wake();
        if (lacks_cancels_) [[unlikely]]
            cancel_for_other_threads();
        start_all();
        if (deadline > time_point{} && !ring_.has_completions() && ready().empty()) {
            arm_timer(deadline);
            sleep();
        } else {
            ring_.enter_if_needed();
        }
        take_completions();
        // Waiting operations start only after all completions were handled, so that the reader of a message
        // that is spread over several buffers receives all of it together.
        start_all();
    }

    void wake() noexcept override { wake_.set(); }

    const uring_ring& ring() const noexcept override { return ring_; }

private:
    // The owner of a completion, stored in the upper byte of user_data. The lower bytes contain the
    // descriptor number of a feed, or the address of an operation. The upper byte of an address is 0 on
    // x86-64, and on AArch64 without tagged pointers.
    enum class owner : std::uint8_t { operation, feed, timer, wake, none };

    enum stage : std::uint8_t {
        queued,
        in_kernel,
        cancelling,
        taken_back,  // its request ends early and starts again later
        done,        // has a result; completes when its multishot request ends
        reported,    // can make its system call; becomes ripe when its multishot request ends
        closed,
        dropped,  // closed, and completes with -ECANCELED even if its request has succeeded
        ripe,     // can make its system call, or complete, when its turn in the ready queue comes
    };

    // The ripe operations of a descriptor, as an entry of the ready queue. A shared driver uses it, because
    // an Asio program can cancel an operation, or close its descriptor, until the operation's turn comes.
    struct ripe_operations : operation {
        explicit ripe_operations(driver_on_ring& of) noexcept
            : operation{nullptr, &run_or_discard}, owner(of) {}
        static void run_or_discard(operation* op, completion how) {
            auto& self = *static_cast<ripe_operations*>(op);
            io_operation* const done = self.owner.take_done(self, how);
            if (done != nullptr) done->complete(done, completion::run);
        }

        driver_on_ring& owner;
        io_queue ops;
        bool is_queued = false;
    };

    struct alignas(64) descriptor {
        stream_feed feed;
        io_queue waiting;
        io_queue requests;
        bool accepting = false;
        bool has_backlog = false;
        std::uint16_t closes = 0;  // the number of calls of drop_received()
        // The place in the list of descriptors that lack cancellations: 0 if the descriptor is not in the
        // list, end_of_list if it is the last one, otherwise the next descriptor's number plus one.
        int next_lacking = 0;
    };
    static constexpr int end_of_list = -1;
    static_assert(sizeof(descriptor) == 64, "a descriptor must fit into one cache line");

    static std::uint64_t user_data(owner whose, int fd = 0) noexcept {
        return std::uint64_t{static_cast<std::uint8_t>(whose)} << 56 | static_cast<unsigned>(fd);
    }
    static std::uint64_t user_data(const io_operation& op) noexcept {
        return reinterpret_cast<std::uintptr_t>(&op);
    }

    void begin_anew() {
        ring_.renew([this](io_uring& fresh) { buffers_.register_with(fresh); });
        buffers_.begin();
        armed_ = never;
        wake_is_armed_ = false;
        lent_ = 0;
        first_lacking_ = end_of_list;
        lacks_cancels_ = false;
        for (descriptor& d : descriptors_) {
            d.next_lacking = 0;
            while (!d.requests.empty()) {
                io_operation& op = d.requests.pop();
                const bool continues =
                    op.state == in_kernel || op.state == taken_back || op.state == reported;
                continues ? start_again(op) : complete(op, op.state == done ? op.result : -ECANCELED);
            }
            start_waiting(d);
        }
    }

    // Cancels all requests and waits for their ends. They start again in the next wait().
    void take_requests_back() noexcept {
        if (pending() == 0) return;
        int fd = 0;
        for (descriptor& d : descriptors_) {
            d.requests.for_each([](operation& each) {
                auto& op = static_cast<io_operation&>(each);
                if (op.state == in_kernel) op.state = taken_back;
            });
            if (!d.requests.empty()) cancel_later(fd, d);
            ++fd;
        }
        for (const descriptor& d : descriptors_) {
            while (!d.requests.empty()) {
                submit_lacking_cancels();
                if (!ring_.await_completion()) return;
                take_completions();
            }
        }
    }

    bool can_submit() const noexcept {
        return ring_.is_enabled() && (lock() == nullptr || ring_.runs_in_this_thread());
    }

    bool start_now(io_operation& op) {
        descriptor& d = descriptors_.get(op.fd);
        const bool has_others = !d.requests.empty() || ripe_count_ != 0;
        if (has_others && waits_its_turn(op) && is_requested(d, op)) [[unlikely]] {
            d.waiting.push(op);
            return false;
        }
        switch (op.kind) {
            case io_kind::send:
            case io_kind::read_file:
            case io_kind::write_file:
                if (op.detachable && !lends_buffers_ && try_for_readiness(op)) return true;
                break;
            case io_kind::receive:
            case io_kind::readable:
                if (op.detachable) {
                    const bool lends = lends_buffers_ && !polls_first_ && !op.polls_first;
                    if (!lends && try_for_readiness(op)) return true;
                    break;
                }
                if (d.feed.take(op, buffers_)) return true;
                if (!d.feed.is_armed()) {
                    if (op.kind == io_kind::readable || !d.feed.may_be_armed(buffers_)) break;
                    io_uring_sqe& sqe = ring_.sqe();
                    d.feed.arm(sqe, op.fd);
                    sqe.user_data = user_data(owner::feed, op.fd);
                }
                d.waiting.push(op);
                return false;
            case io_kind::accept:
                if (d.accepting) {
                    d.waiting.push(op);
                    return false;
                }
                if (d.has_backlog && attempt(op)) return true;
                d.has_backlog = false;
                break;
            case io_kind::receive_from:
            case io_kind::send_to:
            case io_kind::input_call:
            case io_kind::output_call:
            case io_kind::urgent_call:
                if (attempt(op)) return true;
                break;
            default:
                break;
        }
        io_uring_sqe& sqe = ring_.sqe();
        prepare(sqe, op);
        sqe.user_data = user_data(op);
        op.state = in_kernel;
        d.requests.push(op);
        d.accepting |= op.kind == io_kind::accept;
        if (!op.polled) ++lent_;
        return false;
    }

    // Returns true for operations that must be executed in order: if the kernel had several requests of these
    // operations for one descriptor, an event would complete the request that was submitted last, not the
    // first one.
    static bool waits_its_turn(const io_operation& op) noexcept {
        return op.call != nullptr || op.detachable;
    }
    bool is_requested(descriptor& d, const io_operation& op) noexcept {
        bool found = false;
        const auto look_at = [&](const operation& each) {
            const auto& other = static_cast<const io_operation&>(each);
            const bool is_over = other.state == closed || other.state == dropped;
            found |= !is_over && waits_its_turn(other) && events_of(other.kind) == events_of(op.kind);
        };
        d.requests.for_each(look_at);
        if (ripe_count_ != 0 && ripe_at(op.fd) != nullptr) [[unlikely]]
            ripe_at(op.fd)->ops.for_each(look_at);
        return found;
    }
    bool has_predecessor(const io_operation& op) noexcept {
        bool found = false;
        to_start_.for_each([&](const operation& each) {
            const auto& other = static_cast<const io_operation&>(each);
            found |= other.fd == op.fd && events_of(other.kind) == events_of(op.kind);
        });
        descriptor* const d = descriptors_.find(op.fd);
        return found || (d != nullptr && is_requested(*d, op));
    }

    bool try_for_readiness(io_operation& op) noexcept {
        op.polled = !attempt(op);
        return !op.polled;
    }

    ripe_operations* ripe_at(int fd) noexcept {
        const std::unique_ptr<ripe_operations>* const all = ripe_.find(fd);
        return all == nullptr ? nullptr : all->get();
    }

    // Queues an operation until its turn comes. `result` is the result of a wait, or the events that the
    // kernel has reported to another operation. An urgent call is the first of its descriptor, because a read
    // that passes urgent data removes it. Returns false if there is no memory.
    bool become_ripe(io_operation& op, std::int64_t result) noexcept {
        try {
            std::unique_ptr<ripe_operations>& all = ripe_.get(op.fd);
            if (all == nullptr) [[unlikely]]
                all = std::make_unique<ripe_operations>(*this);
            op.state = ripe;
            op.result = result;
            if (op.kind == io_kind::urgent_call) [[unlikely]]
                all->ops.prepend(&op, &op);
            else
                all->ops.push(op);
            ++ripe_count_;
            queue(*all);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
    void queue(ripe_operations& all) noexcept {
        if (!std::exchange(all.is_queued, true)) ready().push(all);
    }

    // Returns the next operation whose turn has come. Returns null if it was cancelled meanwhile, or if its
    // system call has returned EAGAIN.
    io_operation* take_done(ripe_operations& all, completion how) noexcept {
        const with_lock using_operations(*this);
        all.is_queued = false;
        if (how == completion::discard || all.ops.empty()) return nullptr;
        io_operation& op = all.ops.pop();
        --ripe_count_;
        if (!all.ops.empty()) queue(all);
        if (!is_wait(op)) {
            const auto events = static_cast<unsigned>(op.result);
            if (!attempt(op)) return poll_again(op, events), nullptr;
            start_waiting(descriptors_[op.fd]);
        }
        use_budget(op);
        set_not_pending(op);
        return &op;
    }

    void end_ripe(int fd, io_choice choice, io_queue& ended) noexcept {
        ripe_operations* const all = ripe_at(fd);
        if (all == nullptr) return;
        const std::size_t pending_before = pending();
        end_some(all->ops, choice, ended);
        ripe_count_ -= pending_before - pending();
    }

    // Completes a receive of a shared driver. The receive is aborted if its descriptor is closed before its
    // turn in the ready queue comes.
    void complete_received(io_operation& op, std::int64_t result) noexcept {
        op.own_complete = std::exchange(op.complete, &run_received);
        op.completed_by = this;
        op.closes = descriptors_[op.fd].closes;
        complete(op, result);
    }
    static void run_received(operation* queued, completion how) {
        auto& op = *static_cast<io_operation*>(queued);
        op.complete = op.own_complete;
        if (how == completion::run) static_cast<driver_on_ring*>(op.completed_by)->abort_if_closed(op);
        op.complete(&op, how);
    }
    void abort_if_closed(io_operation& op) noexcept {
        const with_lock using_descriptors(*this);
        if (op.closes != descriptors_[op.fd].closes) op.result = -ECANCELED;
        use_budget(op);
    }
    void use_budget(const io_operation& op) noexcept {
        if (op.result > 0) ready().budget.use(work_budget::units_of(static_cast<std::size_t>(op.result)));
    }

    void start_again(io_operation& op, bool polled = false) noexcept {
        op.state = queued;
        op.polled = polled;
        io_queue first;
        first.push(op);
        to_start_.prepend(std::move(first));
    }

    bool submit_cancel(int fd, std::uint64_t target) noexcept {
        io_uring_sqe* const sqe = ring_.try_sqe();
        if (sqe == nullptr) {
            cancel_later(fd, descriptors_[fd]);
            return false;
        }
        io_uring_prep_cancel64(sqe, target, 0);
        sqe->user_data = user_data(owner::none);
        return true;
    }

    // Cancels the requests that must end early. The next wait() submits cancellations that could not be
    // submitted now. A second cancellation of a request has no effect, because the kernel handles the
    // cancellation before it receives another request with the same user_data.
    void submit_cancels(int fd, descriptor& d) noexcept {
        bool is_submitted = true;
        d.requests.for_each([&](operation& each) {
            auto& op = static_cast<io_operation&>(each);
            if (op.state != in_kernel && is_submitted) is_submitted = submit_cancel(fd, user_data(op));
        });
        if (d.feed.is_closed() && is_submitted) submit_cancel(fd, user_data(owner::feed, fd));
    }

    // Makes the next wait() submit the cancellations of the descriptor.
    void cancel_later(int fd, descriptor& d) noexcept {
        lacks_cancels_ = true;
        if (d.next_lacking != 0) return;
        d.next_lacking = std::exchange(first_lacking_, fd + 1);
    }
    void submit_lacking_cancels() noexcept {
        for (int rest = std::exchange(first_lacking_, end_of_list); rest != end_of_list;) {
            const int fd = rest - 1;
            descriptor& d = descriptors_[fd];
            rest = std::exchange(d.next_lacking, 0);
            submit_cancels(fd, d);
        }
    }

    // Cancels those requests of the descriptor that must end early. A thread other than the loop's cannot
    // submit cancellations, but it can withdraw the requests that are not submitted yet. This is necessary:
    // the kernel would carry them out on the file that has the descriptor's number by then.
    void cancel_requests(int fd, descriptor& d, io_queue& ended) noexcept {
        if (can_submit()) return submit_cancels(fd, d);
        if (is_in_kernel_ || !withdraw(d, ended)) cancel_later(fd, d);
    }
    // Returns true if no request has to be cancelled any more.
    bool withdraw(descriptor& d, io_queue& ended) noexcept {
        bool all = true;
        io_queue others;
        while (!d.requests.empty()) {
            io_operation& op = d.requests.pop();
            if (op.state == in_kernel || !ring_.withdraw(user_data(op), user_data(owner::none))) {
                all &= op.state == in_kernel;
                others.push(op);
                continue;
            }
            if (!op.polled) --lent_;
            end(op, ended);
        }
        d.requests.prepend(std::move(others));
        return all;
    }

    // Submits the requests, and sleeps until there is a completion or a wake-up. Other threads can hold the
    // lock meanwhile.
    void sleep() {
        {
            const kernel_visit visit(*this);
            const without_lock sleeping(*this);
            ring_.enter(/*completions_wanted=*/1);
        }
        if (lacks_cancels_) [[unlikely]]
            cancel_for_other_threads();
    }

    class kernel_visit {
    public:
        explicit kernel_visit(driver_on_ring& of) noexcept : of_(of) { of_.is_in_kernel_ = true; }
        kernel_visit& operator=(kernel_visit&&) = delete;
        ~kernel_visit() { of_.is_in_kernel_ = false; }

    private:
        driver_on_ring& of_;
    };

    // Submits the cancellations that other threads have requested or that failed for lack of memory, and lets
    // the kernel release the files of the cancelled requests. If this fails, the next wait() tries again, and
    // the wake-up makes sure that this is soon.
    void cancel_for_other_threads() noexcept {
        if (!lacks_cancels_) return;
        submit_lacking_cancels();
        if (!ring_.settle() || first_lacking_ != end_of_list) return wake();
        lacks_cancels_ = false;
        end_waits();
    }
    void end_waits() noexcept {
        ++cancel_rounds_;
        if (waiting_threads_ != 0) has_cancelled_.notify_all();
    }

    void take_completions() noexcept {
        for (io_uring_cqe cqe{}; ring_.take(cqe);) {
            switch (static_cast<owner>(cqe.user_data >> 56)) {
                case owner::operation:
                    on_operation(*reinterpret_cast<io_operation*>(cqe.user_data), cqe);
                    break;
                case owner::feed:
                    on_feed(static_cast<int>(static_cast<std::uint32_t>(cqe.user_data)), cqe);
                    break;
                case owner::timer:  // result: negative if the timer fired or was refused; 0 after an update
                    if (cqe.res < 0) armed_ = never;
                    break;
                case owner::wake:
                    wake_is_armed_ = (cqe.flags & IORING_CQE_F_MORE) != 0;
                    break;
                case owner::none:
                    break;
            }
        }
    }

    void on_feed(int fd, const io_uring_cqe& cqe) noexcept {
        descriptor& d = descriptors_[fd];
        d.feed.on_completion(cqe, buffers_);
        start_waiting(d);
        if (d.feed.runs_ahead() && submit_cancel(fd, user_data(owner::feed, fd))) d.feed.stop();
    }

    static bool is_wait(const io_operation& op) noexcept {
        return op.kind == io_kind::readable || op.kind == io_kind::writable;
    }

    static std::int64_t result_of_poll(io_operation& op, unsigned events) noexcept {
        if (!is_wait(op)) return attempt(op) ? op.result : -EAGAIN;
        const unsigned useful = events_of(op.kind) | POLLERR | POLLHUP | POLLNVAL;
        return (events & useful) != 0 ? 0 : -EAGAIN;
    }

    // Handles a completion of a multishot request that is not the final one. The operation completes only
    // with the final completion, because the kernel keeps the request until then. After an event that the
    // operation does not wait for, the system call is made at once, because only its result shows whether the
    // request must continue.
    void on_change(io_operation& op, unsigned events) noexcept {
        if (op.state != in_kernel || &op == discarded_) return;
        const bool waits = lock() != nullptr && !is_wait(op) && (events & events_of(op.kind)) != 0;
        op.result = waits ? events : result_of_poll(op, events);
        if (op.result == -EAGAIN) return;
        op.state = waits ? reported : done;
        submit_cancel(op.fd, user_data(op));
    }

    void on_operation(io_operation& op, const io_uring_cqe& cqe) noexcept {
        if ((cqe.flags & IORING_CQE_F_MORE) != 0) return on_change(op, static_cast<unsigned>(cqe.res));
        descriptor& d = descriptors_[op.fd];
        d.requests.remove(op);
        if (!op.polled) --lent_;
        if (op.state == closed || op.state == dropped) {
            // Nothing changes in `d`, because the descriptor number already belongs to another file.
        } else if (op.kind == io_kind::accept) {
            d.accepting = false;
            d.has_backlog = (cqe.flags & IORING_CQE_F_SOCK_NONEMPTY) != 0;
            start_waiting(d);
        } else if (waits_its_turn(op)) {
            start_waiting(d);
        } else if (op.kind == io_kind::receive && !op.polled &&
                   cqe.res < static_cast<std::int64_t>(op.size)) {
            d.feed.on_short_receive(cqe.res);
        }
        if (&op == discarded_) {
            if (op.kind == io_kind::accept && !op.polled && cqe.res >= 0) ::close(cqe.res);
            return set_not_pending(op);
        }
        if (op.state == done) return complete_in_turn(op, op.result);
        if (op.state == dropped) return complete(op, -ECANCELED);
        if (op.state == reported) {
            if (!become_ripe(op, op.result)) start_again(op);
            return;
        }
        if (op.state == taken_back && (cqe.res == -ECANCELED || cqe.res == -EINTR)) return start_again(op);
        const bool continues = op.state == in_kernel || op.state == taken_back;
        std::int64_t result = cqe.res;
        bool again = result == -EINTR;  // for example, cancelled while a worker thread ran it
        if (op.polled && result >= 0) {
            const auto events = static_cast<unsigned>(cqe.res);
            if (continues && lock() != nullptr && !is_wait(op) && become_ripe(op, result)) return;
            result = continues ? result_of_poll(op, events) : -EAGAIN;
            if (continues && result == -EAGAIN) return poll_again(op, events);
        } else if (op.whole && result > 0) {
            op.moved += static_cast<std::size_t>(result);
            result = static_cast<std::int64_t>(op.moved);
            again = op.moved < op.size;
        }
        // -EAGAIN from the request itself means that io_uring cannot wait for this non-blocking file: a
        // terminal, or a pipe before Linux 6.4. The driver then waits for readiness.
        op.polled |= result == -EAGAIN;
        if (!again && result != -EAGAIN) {
            return continues ? complete_in_turn(op, result) : complete(op, result);
        }
        if (!continues) return complete(op, -ECANCELED);
        start_again(op, op.polled);
    }

    // Completes an operation. In a shared driver, a receive or a wait can be aborted until its turn comes.
    void complete_in_turn(io_operation& op, std::int64_t result) noexcept {
        if (lock() != nullptr && op.kind == io_kind::receive) return complete_received(op, result);
        if (lock() == nullptr || !is_wait(op) || !become_ripe(op, result)) complete(op, result);
    }

    // Waits for readiness again after the kernel has reported `events`, but the system call would block. If
    // the requested event occurred, but other code has already used it, the operation polls again with a
    // single request. After any other event (for example, a hang-up), the operation uses a multishot poll,
    // which reports the current state once and then only changes; single polls would report the same event
    // again and again. An accept never uses a multishot poll: if the accept were discarded before its
    // multishot request ends, no code would close the accepted connection.
    void poll_again(io_operation& op, unsigned events) noexcept {
        op.by_edge = (events & events_of(op.kind)) == 0 && op.kind != io_kind::accept;
        start_again(op, /*polled=*/true);
    }

    void start_waiting(descriptor& d) noexcept {
        while (!d.waiting.empty()) to_start_.push(d.waiting.pop());
    }

    void start_all() {
        while (!to_start_.empty()) {
            io_operation& op = to_start_.pop();
            try {
                if (start_now(op)) complete(op, op.result);
            } catch (...) {
                to_start_.push(op);
                throw;
            }
        }
    }

    void arm_wake() {
        io_uring_sqe& sqe = ring_.sqe();
        io_uring_prep_poll_multishot(&sqe, wake_.fd(), POLLIN);
        sqe.user_data = user_data(owner::wake);
        wake_is_armed_ = true;
    }

    void arm_timer(time_point deadline) {
        if (deadline >= armed_) return;
        io_uring_sqe& sqe = ring_.sqe();
        timeout_ = to_timespec<__kernel_timespec>(deadline.time_since_epoch());
        if (armed_ == never)
            io_uring_prep_timeout(&sqe, &timeout_, 0, IORING_TIMEOUT_ABS);
        else
            io_uring_prep_timeout_update(&sqe, &timeout_, user_data(owner::timer), IORING_TIMEOUT_ABS);
        sqe.user_data = user_data(owner::timer);
        armed_ = deadline;
    }

    uring_ring ring_;
    provided_buffers buffers_;
    wake_event wake_;
    descriptor_table<descriptor> descriptors_;
    descriptor_table<std::unique_ptr<ripe_operations>> ripe_;  // pointers, so that the addresses are stable
    std::size_t ripe_count_ = 0;
    io_queue to_start_;
    std::size_t lent_ = 0;
    bool lends_buffers_ = false;
    bool polls_first_ = false;
    io_operation* discarded_ = nullptr;
    int first_lacking_ = end_of_list;  // the number of the descriptor plus one, see descriptor::next_lacking
    bool wake_is_armed_ = true;
    bool is_in_kernel_ = false;  // true while the loop's thread is in sleep() without the lock
    bool lacks_cancels_ = false;
    std::size_t cancel_rounds_ = 0;
    std::size_t given_up_in_ = static_cast<std::size_t>(-1);  // the round of a callback that takes long
    std::size_t waiting_threads_ = 0;
    std::condition_variable_any has_cancelled_;
    time_point armed_ = never;
    __kernel_timespec timeout_{};
};

}  // namespace

std::unique_ptr<io_uring_driver> make_limited_io_uring_driver(ready_queue& ready,
                                                              const uring_limits& limits) {
    return std::make_unique<driver_on_ring>(ready, limits);
}

std::unique_ptr<driver> make_io_uring_driver(ready_queue& ready) {
    return make_limited_io_uring_driver(ready, {});
}

std::string io_uring_refusal() {
    try {
        ready_queue ready;
        static_cast<void>(
            make_limited_io_uring_driver(ready, {.submissions = 2, .completions = 4, .buffers = 1}));
        return {};
    } catch (const std::system_error& refusal) {
        return refusal.what();
    }
}

}  // namespace loopbench::loop

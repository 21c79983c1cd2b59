// The turn: wait, then time, then what is ready. Everything that a loop does, it does here.
//
// A design is a composition: a driver (how I/O completes), a timer queue (how deadlines are kept) and a wait
// policy (what is done when nothing is ready). Only the turn is compiled for each (designs.cpp), since it is
// what runs between two callbacks; the rest is the plain class event_loop, which reaches its timers through
// two virtual calls and its driver through the interface of io/io.hpp.
#pragma once

#include <thread>

#include "loop/loop.hpp"

namespace loopbench::loop {

// How much of the work budget (operation.hpp) may be used until the kernel and the clock are looked at again,
// even in the middle of what was ready when a turn began. On every turn: each runs all that was.
inline constexpr std::size_t on_every_turn = 0;
inline constexpr std::size_t only_when_idle = std::numeric_limits<std::size_t>::max();

template <TimerQueue Timers, class Wait, std::size_t UnitsBetweenWaits>
class design_loop final : public event_loop {
public:
    /// Throws std::system_error when the driver is refused by the kernel.
    design_loop(std::string_view name, make_driver_fn make_driver, bool polls, clock* other_clock)
        : event_loop(name, make_driver, polls, other_clock) {}

    ~design_loop() override {
        close();
        // What is still armed now belongs to no frame: scheduled calls, which own themselves.
        operation_queue calls;
        timers_.expire(never - nanoseconds(1), calls);
        calls.discard_all();
        close();  // what they owned may have posted something in the end
    }

    void arm(timer& t) override { timers_.insert(t, last_now_); }
    void disarm(timer& t) noexcept override { timers_.erase(t); }

    // For the wait policy.

    time_point next_deadline() noexcept { return std::min(timers_.earliest(), wake_by_); }
    bool has_pending_io() const noexcept { return io_->pending() != 0; }
    /// Just after posts have run: whether the next one comes before the loop would sleep.
    bool sees_next_post() noexcept {
        return std::exchange(took_posts_, false) && spin_.until([this] { return has_posted(); });
    }
    /// Takes what the kernel has, without sleeping.
    void look() { wait_in_driver(do_not_wait); }
    /// Sleeps in the driver until `deadline`, I/O or a post.
    void sleep_until_event(time_point deadline) {
        sleep_notice_.sleep(
            [this] { return has_posted(); },
            [this, deadline](bool is_posted) { wait_in_driver(is_posted ? do_not_wait : deadline); });
    }
    /// Blocks the thread, whatever happens.
    void sleep_blindly(nanoseconds duration) {
        clock_ == nullptr ? std::this_thread::sleep_for(duration) : clock_->sleep_for(duration);
    }

private:
    static constexpr std::size_t units_max =
        UnitsBetweenWaits == on_every_turn ? without_limit : UnitsBetweenWaits;

    void take_turns(const bool& done) override {
        const auto guard = guard_writes();
        do take_turn();
        while (!done);
    }

    // What was posted comes before timers that are due: it may be I/O that was done when it was started, and
    // the timer its time limit.
    void take_step(std::size_t callbacks_max, time_point wake_by) override {
        const auto guard = guard_writes();
        // Who looks at the kernel only when idle has to look here, too: a step ends with the budget.
        const bool waits =
            !has_ready() || ready().budget.used() >= std::min(UnitsBetweenWaits, work_budget::units_max);
        take_posted();
        if (waits) {
            ready().budget.refill();
            const waking_by limited(*this, wake_by);
            wait_(*this);
            take_posted();
            if (!timers_.empty()) timers_.expire(now(), ready());
        }
        run_singly(callbacks_max);
    }

    // For a step: with the lock, and not longer than until then.
    class waking_by {
    public:
        waking_by(design_loop& loop, time_point when) noexcept : loop_(loop) {
            loop_.wake_by_ = when;
            if (loop_.io_->lock() != nullptr) loop_.io_->lock()->lock();
        }
        waking_by& operator=(waking_by&&) = delete;
        ~waking_by() {
            if (loop_.io_->lock() != nullptr) loop_.io_->lock()->unlock();
            loop_.wake_by_ = never;
        }

    private:
        design_loop& loop_;
    };

    [[gnu::always_inline]] void take_turn() {
        if (!has_ready() || ready().budget.used() >= UnitsBetweenWaits) {
            ready().budget.refill();
            wait_(*this);
            if (!timers_.empty()) timers_.expire(now(), ready());
        }
        if (take_posted()) [[unlikely]]
            took_posts_ = true;
        run_ready(units_max);
    }

    void wait_in_driver(time_point deadline) {
        clock_ == nullptr ? io_->wait(deadline) : clock_->wait(*this, *io_, deadline);
    }

    bool has_timers() const noexcept override { return !timers_.empty(); }

    void discard_operations() noexcept override {
        io_queue pending;
        do {
            timers_.expire(never - nanoseconds(1), ready());
            io_->take_all(pending);
            pending.discard_all();
        } while (discard_queued() || !timers_.empty());
    }

    Timers timers_;
    Wait wait_;
    adaptive_spin spin_;
    bool took_posts_ = false;     // and sees_next_post() was not asked since
    time_point wake_by_ = never;  // a step's limit
};

// The wait policies: what a turn does before it looks at the time. That of timers/precise_wait.hpp spins for
// the last microseconds before a deadline.

/// Sleeps until I/O, a post or the next deadline; with work in the queue, or posted while it was about to
/// sleep, it only looks whether there is more.
template <bool OnEveryTurn>
struct blocking_wait {
    template <class Loop>
    void operator()(Loop& loop) {
        if (!loop.has_ready() && !loop.sees_next_post()) {
            loop.sleep_until_event(loop.next_deadline());
        } else if (OnEveryTurn || loop.has_pending_io()) {
            loop.look();
        }
    }
};

/// Every serious loop's.
using block_wait = blocking_wait<false>;
/// The kernel is asked on every turn, with and without operations under way: the documents' loops call their
/// selector so. It costs a system call for each turn that has work to do.
using block_every_turn_wait = blocking_wait<true>;

/// Every first tutorial's: asks and never sleeps. A whole core, whatever happens, to notice it at once.
struct spin_wait {
    template <class Loop>
    void operator()(Loop& loop) {
        loop.look();
    }
};

/// Document 000's: asks without waiting, once a tick. Cheap in CPU, and everything is late by up to a tick:
/// it is the sleep, not the event, that decides when the loop runs. The sleep comes after the callbacks in
/// the document; here it comes before the next turn's wait, which is the same moment.
struct tick_wait {
    static constexpr std::chrono::milliseconds tick{100};

    template <class Loop>
    void operator()(Loop& loop) {
        if (!first_turn_) loop.sleep_blindly(tick);
        first_turn_ = false;
        loop.look();
    }

private:
    bool first_turn_ = true;
};

}  // namespace loopbench::loop

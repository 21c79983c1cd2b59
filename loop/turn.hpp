// The turn of a loop: wait, read the clock, run the ready operations. A loop does nothing else.
//
// A design is a composition of four parts: a driver (how I/O completes), a timer queue (how deadlines are
// kept), a wait policy (how the loop asks the kernel for events) and work limits (how much runs in between).
// Only the turn is a template that is compiled for each design (designs.cpp), because its speed affects every
// callback. The rest of the loop is the plain class event_loop, which reaches its timers through virtual
// functions, and its driver through the interface in io/io.hpp.
#pragma once

#include <thread>

#include "loop/loop.hpp"

namespace loopbench::loop {

/// Two limits on the work of a loop, in units of the work budget (operation.hpp): after the first, the loop
/// asks for new events; after the second, it ends the turn.
struct work_limits {
    /// The number of units after which the loop checks for I/O and reads the clock again. With 0, the loop
    /// does so on every turn.
    std::size_t units_between_waits;
    /// The number of units after which a turn ends, even if some operations that were ready when the turn
    /// began have not run yet. With work_budget::without_limit, the turn runs all of these operations. In
    /// this case, the budget is refilled before each operation: it limits one callback, but not the turn.
    std::size_t units_of_a_turn;
};
inline constexpr work_limits waits_on_every_turn{.units_between_waits = 0,
                                                 .units_of_a_turn = work_budget::without_limit};
inline constexpr work_limits waits_after_a_budget{.units_between_waits = work_budget::units_max,
                                                  .units_of_a_turn = work_budget::units_max};
inline constexpr work_limits waits_when_idle{.units_between_waits = work_budget::without_limit,
                                             .units_of_a_turn = work_budget::without_limit};

template <TimerQueue Timers, class Wait, work_limits Limits>
class design_loop final : public event_loop {
public:
    /// Makes a loop with its driver. Throws std::system_error if the kernel refuses the driver.
    design_loop(std::string_view name, make_driver_fn make_driver, clock* other_clock)
        : event_loop(name, make_driver, other_clock) {}

    ~design_loop() override {
        close();
        // close() has destroyed all suspended coroutines with their timers. The remaining timers belong to
        // calls of call_at(). No coroutine owns these timers, so they are discarded here.
        operation_queue calls;
        timers_.expire(never - nanoseconds(1), calls);
        calls.discard_all();
        close();  // again, because the destructors of the discarded functions might have posted something
    }

    void arm(timer& t) override { timers_.insert(t, last_now_); }
    void disarm(timer& t) noexcept override { timers_.erase(t); }

    // Only the wait policy uses the following members.

    time_point next_deadline() noexcept { return std::min(timers_.earliest(), wake_by_); }
    bool has_pending_io() const noexcept { return io_->pending() != 0; }
    /// Polls briefly for the next post, but only if functions that other threads posted have just run.
    /// Returns true if a post arrives in this time.
    bool sees_next_post() noexcept {
        return std::exchange(took_posts_, false) && spin_.until([this] { return has_posted(); });
    }
    /// Gets the kernel's events without sleeping.
    void look() { clock_ == nullptr ? io_->wait(do_not_wait) : clock_->wait(*this, *io_, do_not_wait); }
    /// Sleeps in the driver until `deadline`, an I/O event or a post.
    void sleep_until_event(time_point deadline) {
        sleep_notice_.sleep([this] { return has_posted(); },
                            [this, deadline](bool is_posted) {
                                const time_point until = is_posted ? do_not_wait : deadline;
                                clock_ == nullptr ? io_->wait(until) : clock_->wait(*this, *io_, until);
                            });
    }
    /// Blocks the thread for the whole duration, even if events arrive.
    void sleep_blindly(nanoseconds duration) {
        clock_ == nullptr ? std::this_thread::sleep_for(duration) : clock_->sleep_for(duration);
    }

private:
    void take_turns(const bool& done) override {
        const auto guard = guard_writes();
        do take_turn();
        while (!done);
    }

    // A step queues posted operations before it expires timers. asio_compat posts an I/O operation that
    // completes as soon as it is started. If timers expired first, the operation's own time limit could
    // cancel it. Only asio_compat takes steps, so take_turn() does not need this order.
    void take_step(std::size_t callbacks_max, time_point wake_by) override {
        const auto guard = guard_writes();
        // A step (event_loop::step()) ends when the budget is used up, even if operations are still ready. A
        // design that asks the kernel only when nothing is ready might then never ask. Therefore each design
        // asks here at least once per budget.
        constexpr std::size_t units_between_waits =
            std::min(Limits.units_between_waits, work_budget::units_max);
        const bool waits = !has_ready() || ready().budget.used() >= units_between_waits;
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

    // A guard for the wait of a step. While it exists, it holds the driver's lock, and the wait ends at
    // `when` at the latest.
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
        if (!has_ready() || ready().budget.used() >= Limits.units_between_waits) {
            ready().budget.refill();
            wait_(*this);
            if (!timers_.empty()) timers_.expire(now(), ready());
        }
        if (take_posted()) [[unlikely]]
            took_posts_ = true;
        run_ready(Limits.units_of_a_turn);
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
    bool took_posts_ = false;     // posted functions have run since sees_next_post() was called last
    time_point wake_by_ = never;  // the latest end of a step's wait
};

// The wait policies determine what a turn does before it reads the clock. Another policy, in
// timers/precise_wait.hpp, spins for the last microseconds before a deadline.

/// The policy that sleeps until an I/O event, a post or the next deadline. If operations are ready, or a post
/// arrives just before the sleep, this policy does not sleep. Instead, it asks the kernel for more events
/// without waiting. If OnEveryTurn is false, it does so only if I/O is pending.
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

/// The usual policy, which asks the kernel for more events only if I/O is pending.
using block_wait = blocking_wait<false>;
/// The policy of loops that ask the kernel each time, even if no I/O is pending, as in tutorials 002 and 004.
/// Compared with block_wait, this costs one more system call if operations are ready and no I/O is pending.
using block_every_turn_wait = blocking_wait<true>;

/// The policy that never sleeps: it only asks the kernel, without waiting. The loop notices every event
/// immediately, but always uses a whole core.
struct spin_wait {
    template <class Loop>
    void operator()(Loop& loop) {
        loop.look();
    }
};

/// The policy of tutorial 000. On each turn, it asks the kernel without waiting; before that, it sleeps for
/// one tick, except on the first turn. The policy uses little CPU, but the loop notices every event up to one
/// tick late, because events do not end the sleep. The tutorial sleeps at the end of a turn. This policy
/// sleeps at the start of the next turn, which is the same moment.
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

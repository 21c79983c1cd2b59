// A loop's design has four parts: a driver (performs I/O), a timer queue (stores deadlines), a wait policy
// (asks the kernel for events) and work limits (how much work the loop does before it asks the kernel again).
//
// A turn first asks the kernel for events. It skips this if operations are ready and the limits allow more
// work. Then it runs ready operations. The speed of a turn affects every callback. Therefore design_loop is a
// template, which is instantiated for each design (designs.cpp). A step is a turn that runs only a given
// number of callbacks.
#pragma once

#include <thread>

#include "loop/loop.hpp"

namespace loopbench::loop {

/// Limits in units of the work budget (operation.hpp).
struct work_limits {
    /// The loop asks the kernel for events after this number of units. Zero: it asks on every turn.
    std::size_t units_between_waits;
    /// A turn ends after this number of units. work_budget::without_limit: a turn runs every ready operation.
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
    design_loop(std::string_view name, make_driver_fn make_driver, clock* other_clock)
        : event_loop(name, make_driver, other_clock) {}

    ~design_loop() override {
        close();
        // After close(), the only armed timers are those of call_at(); they are moved to `calls` and
        // discarded.
        operation_queue calls;
        timers_.expire(never - nanoseconds(1), calls);
        calls.discard_all();
        close();  // a second time, because the destructors of discarded functions can post
    }

    void arm(timer& t) override { timers_.insert(t, last_now_); }
    void disarm(timer& t) noexcept override { timers_.erase(t); }

    // The next members are for the wait policy.

    time_point next_deadline() noexcept { return std::min(timers_.earliest(), wake_by_); }
    bool has_pending_io() const noexcept { return io_->pending() != 0; }
    bool sees_next_post() noexcept {
        return std::exchange(took_posts_, false) && spin_.until([this] { return has_posted(); });
    }
    void look() { clock_ == nullptr ? io_->wait(do_not_wait) : clock_->wait(*this, *io_, do_not_wait); }
    void sleep_until_event(time_point deadline) {
        sleep_notice_.sleep([this] { return has_posted(); },
                            [this, deadline](bool is_posted) {
                                const time_point until = is_posted ? do_not_wait : deadline;
                                clock_ == nullptr ? io_->wait(until) : clock_->wait(*this, *io_, until);
                            });
    }
    void sleep_blindly(nanoseconds duration) {
        clock_ == nullptr ? std::this_thread::sleep_for(duration) : clock_->sleep_for(duration);
    }

private:
    void take_turns(const bool& done) override {
        const auto guard = guard_writes();
        do take_turn();
        while (!done);
    }

    // take_turn() expires timers before it queues posted operations. A step uses the other order. The reason
    // is asio_compat, the header for Asio programs. If an I/O operation completes at once, asio_compat posts
    // its handler. If a step used the order of take_turn(), a timer's callback would run before this handler.
    // The callback could then cancel an operation that is already complete.
    void take_step(std::size_t callbacks_max, time_point wake_by) override {
        const auto guard = guard_writes();
        // A step can leave operations ready. A design that asks the kernel only when nothing is ready might
        // then never ask. Therefore a step asks the kernel if the steps since it last asked have used up one
        // budget. A design with a smaller limit asks earlier.
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
    bool took_posts_ = false;
    time_point wake_by_ = never;
};

/// The policy that sleeps until an I/O event, a post or the next deadline. If something is ready, it does
/// not sleep; instead, it asks the kernel for events without waiting. With OnEveryTurn = false, it skips
/// this question if no I/O is pending.
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

using block_wait = blocking_wait<false>;
/// The policy of tutorials 002 and 004. It makes a system call even if no I/O is pending.
using block_every_turn_wait = blocking_wait<true>;

/// The policy that never sleeps: the loop notices every event immediately, but always uses a whole core.
struct spin_wait {
    template <class Loop>
    void operator()(Loop& loop) {
        loop.look();
    }
};

/// The policy of tutorial 000: sleeps for one tick before each turn except the first. The loop notices an
/// event up to one tick late.
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

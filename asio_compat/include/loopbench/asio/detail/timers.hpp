// Timers: the waits of steady_timer, system_timer, deadline_timer and timers with a clock that the program
// defines.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/wait_traits.hpp>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>

#include "loopbench/asio/detail/handler.hpp"
#include "loopbench/asio/detail/io_context.hpp"

namespace boost::asio::detail {
template <class Clock, class WaitTraits>
struct chrono_time_traits;
template <class TimeTraits>
class deadline_timer_service;
}  // namespace boost::asio::detail

namespace loopbench::asio::detail {

class wait_list;
struct wait_op;

/// The object in a handler's cancellation slot that cancels the handler's wait. The canceller and the wait
/// point to each other. Neither points to the timer object, which can therefore be moved while the wait is
/// pending. One thread can cancel while the wait ends in the thread that runs the context. Therefore,
/// lock_of_link() protects both pointers. Lock order: this lock, then the core's lock.
struct wait_canceller {
    wait_canceller() = default;
    wait_canceller& operator=(wait_canceller&&) = delete;
    ~wait_canceller();
#if __has_include(<boost/asio/cancellation_type.hpp>)
    void operator()(boost::asio::cancellation_type_t type) noexcept;
#endif

    void link_to(wait_op& started) noexcept;

    std::atomic<wait_op*> wait = nullptr;  // null before the wait has started and after it has ended
};

/// Returns the lock on the link between the canceller and its wait. The lock is in neither of them, because
/// each of them can be destroyed first. Several cancellers share a lock.
inline loop::loop_lock& lock_of_link(const wait_canceller* canceller) noexcept {
    struct alignas(64) own_cache_line {
        loop::loop_lock lock;
    };
    static constinit std::array<own_cache_line, 16> locks;
    const auto address = reinterpret_cast<std::uintptr_t>(canceller);
    return locks[(address / 64 + address / 4096) % locks.size()].lock;
}

/// One wait on a timer. The wait ends when it is cancelled, or when a check shows that it is due. Then the
/// wait is put into the ready queue.
struct wait_op : loop::timer {
    /// A function that returns the time of the next check, or time_point::min() if the wait is due.
    using look_fn = loop::time_point (*)(const wait_op&);

    /// Creates a wait that is checked at the time `when`. `look` returns the time of each later check; it is
    /// null if the timer uses the loop's clock, and `when` is then the exact deadline.
    wait_op(core& in, loop::time_point when, look_fn look) noexcept : in_core(in), looks_again(look) {
        deadline = std::min(when, loop::never - loop::nanoseconds(1));  // `never` would mean "no deadline"
    }
    wait_op& operator=(wait_op&&) = delete;
    ~wait_op() { forget_canceller(); }

    void arm() {
        in_core.loop().arm(*this);
        has_been_armed = true;
    }
    /// Returns true if the wait's timer has fired, so that the wait is in the ready queue.
    bool has_fired() const noexcept { return has_been_armed && !armed; }
    bool is_over(core& in, completion how);
    bool is_due() noexcept {
        if (looks_again == nullptr) return true;
        deadline = looks_again(*this);
        return deadline == loop::time_point::min();
    }
    void forget_canceller() noexcept {
        wait_canceller* const linked = canceller.load(std::memory_order_acquire);
        if (linked != nullptr) [[unlikely]]
            unlink_from(linked);
    }
    [[gnu::noinline]] void unlink_from(wait_canceller* linked) noexcept {
        const std::lock_guard lock(lock_of_link(linked));
        if (canceller.exchange(nullptr, std::memory_order_relaxed) != nullptr)  // not destroyed meanwhile
            linked->wait.store(nullptr, std::memory_order_release);
    }

    template <class Handler>
    auto bind(Handler& handler) {
        return bind_result(handler, ec);
    }

    core& in_core;
    const look_fn looks_again;
    bool has_been_armed = false;
    error_code ec;
    std::atomic<wait_canceller*> canceller = nullptr;
    wait_list* list = nullptr;  // null after the wait has ended
    wait_op* previous = nullptr;
    wait_op* following = nullptr;
};

/// The waits on one timer. Either the first wait is armed, or it has fired and is in the ready queue. When
/// the first wait is due, all waits end. If there is no memory to arm the first wait, all waits end with the
/// error no_memory. The functions add the waits that have ended to `ended`, except a wait that is in the
/// ready queue already. The caller must hold the core's lock.
class wait_list {
public:
    static constexpr std::size_t all = core::without_limit;

    bool empty() const noexcept { return first_ == nullptr; }

    void take_from(wait_list& other) noexcept {
        first_ = std::exchange(other.first_, nullptr);
        last_ = std::exchange(other.last_, nullptr);
        for (wait_op* each = first_; each != nullptr; each = each->following) each->list = this;
    }

    void add(wait_op& added, loop::operation_queue& ended) noexcept {
        const bool is_first = empty();
        added.list = this;
        added.previous = last_;
        (is_first ? first_ : last_->following) = &added;
        last_ = &added;
        if (is_first) arm_first(ended);
    }

    /// Cancels up to `count_max` waits, beginning with the first, and returns their number. If the first wait
    /// is due, ends all waits without an error and returns 0.
    std::size_t cancel(std::size_t count_max, loop::operation_queue& ended) noexcept {
        if (!empty() && first_->has_fired() && first_->is_due()) {
            end_all(ended);
            return 0;
        }
        std::size_t count = 0;
        for (; count < count_max && !empty(); ++count)
            end(*first_, boost::asio::error::operation_aborted, ended);
        if (count > 0) arm_first(ended);
        return count;
    }

    void cancel_this(wait_op& cancelled, loop::operation_queue& ended) noexcept {
        if (first_->has_fired() && first_->is_due()) return end_all(ended);
        const bool was_first = first_ == &cancelled;
        end(cancelled, boost::asio::error::operation_aborted, ended);
        if (was_first) arm_first(ended);
    }

    void end_all(loop::operation_queue& ended, const error_code& ec = {}) noexcept {
        while (!empty()) end(*first_, ec, ended);
    }

    /// Arms the first wait, which must not be armed yet.
    void arm_first(loop::operation_queue& ended) noexcept {
        if (empty()) return;
        try {
            first_->arm();
        } catch (const std::bad_alloc&) {
            end_all(ended, boost::asio::error::no_memory);
        }
    }

private:
    void end(wait_op& over, const error_code& ec, loop::operation_queue& ended) noexcept {
        const bool is_queued = over.has_fired();
        if (over.armed) {
            over.in_core.loop().disarm(over);
            over.place.later = nullptr;
        }
        (over.previous == nullptr ? first_ : over.previous->following) = over.following;
        (over.following == nullptr ? last_ : over.following->previous) = over.previous;
        over.list = nullptr;
        over.ec = ec;
        if (!is_queued) ended.push(over);
    }

    wait_op* first_ = nullptr;
    wait_op* last_ = nullptr;
};

/// Returns true if the wait has ended. If the timer does not use the loop's clock, first reads the timer's
/// clock to check whether the wait is due. When a wait is due, the other waits on the same timer end, too.
inline bool wait_op::is_over(core& in, completion how) {
    {
        core::change ending(in);
        if (list != nullptr && how == completion::run && !is_due()) {
            list->arm_first(ending.ended);
            if (list != nullptr) return false;
        } else if (list != nullptr) {
            list->end_all(ending.ended);
        }
    }
    forget_canceller();
    return true;
}

inline void wait_canceller::link_to(wait_op& started) noexcept {
    wait.store(&started, std::memory_order_relaxed);
    started.canceller.store(this, std::memory_order_relaxed);
}

inline wait_canceller::~wait_canceller() {
    if (wait.load(std::memory_order_acquire) == nullptr) return;
    const std::lock_guard lock(lock_of_link(this));
    if (wait_op* const linked = wait.load(std::memory_order_relaxed))
        linked->canceller.store(nullptr, std::memory_order_release);
}

#if __has_include(<boost/asio/cancellation_type.hpp>)
inline void wait_canceller::operator()(boost::asio::cancellation_type_t type) noexcept {
    if (!is_for_us(type)) return;
    const std::lock_guard link(lock_of_link(this));
    wait_op* const linked = wait.load(std::memory_order_relaxed);
    if (linked == nullptr) return;
    core::change cancelling(linked->in_core);
    if (linked->list != nullptr) linked->list->cancel_this(*linked, cancelling.ended);
}
#endif

template <class TimeTraits>
inline constexpr bool is_clock_of_loop = false;
template <>
inline constexpr bool is_clock_of_loop<boost::asio::detail::chrono_time_traits<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>>> = true;

/// The service of Asio's timers. It replaces Asio's deadline_timer_service.
template <class TimeTraits>
class timer_service {
public:
    using time_type = typename TimeTraits::time_type;
    using duration_type = typename TimeTraits::duration_type;

    struct implementation_type {
        implementation_type() = default;
        implementation_type& operator=(implementation_type&&) = delete;

        time_type expiry{};
        wait_list waits;
    };

    explicit timer_service(io_context& context) noexcept : core_(&core_of(context)) {}

    void construct(implementation_type& timer) { timer.expiry = time_type(); }
    void destroy(implementation_type& timer) { cancel(timer, wait_list::all); }
    void move_construct(implementation_type& timer, implementation_type& other) {
        const core::change moving(*core_);
        timer.expiry = std::exchange(other.expiry, time_type());
        timer.waits.take_from(other.waits);
    }
    void move_assign(implementation_type& timer, timer_service& others_service, implementation_type& other) {
        destroy(timer);
        others_service.move_construct(timer, other);
    }
    void converting_move_construct(implementation_type& timer, timer_service&, implementation_type& other) {
        move_construct(timer, other);
    }

    std::size_t cancel(implementation_type& timer, error_code& ec) {
        ec.clear();
        return cancel(timer, wait_list::all);
    }
    std::size_t cancel_one(implementation_type& timer, error_code& ec) {
        ec.clear();
        return cancel(timer, 1);
    }

    time_type expiry(const implementation_type& timer) const { return timer.expiry; }
    time_type expires_at(const implementation_type& timer) const { return timer.expiry; }
    duration_type expires_from_now(const implementation_type& timer) const {
        return TimeTraits::subtract(timer.expiry, TimeTraits::now());
    }
    std::size_t expires_at(implementation_type& timer, const time_type& when, error_code& ec) {
        const std::size_t count = cancel(timer, ec);
        timer.expiry = when;
        return count;
    }
    std::size_t expires_after(implementation_type& timer, const duration_type& time, error_code& ec) {
        return expires_at(timer, TimeTraits::add(TimeTraits::now(), time), ec);
    }
    std::size_t expires_from_now(implementation_type& timer, const duration_type& time, error_code& ec) {
        return expires_after(timer, time, ec);
    }

    void wait(implementation_type& timer, error_code& ec) {
        ec.clear();
        for (auto when = next_look(timer.expiry); when != loop::time_point::min();
             when = next_look(timer.expiry))
            std::this_thread::sleep_until(when);
    }

    template <class Handler, class IoExecutor>
    void async_wait(implementation_type& timer, Handler& handler, const IoExecutor& executor) {
        using op_type = handler_op<timer_wait, Handler, IoExecutor>;
        auto slot = slot_of(handler);
        auto* const canceller = install<wait_canceller>(slot);
        auto& op = op_type::make(*core_, handler, executor, *core_, timer.expiry);
        op.track(&timer);
        if (canceller != nullptr) canceller->link_to(op);
        core::change adding(*core_);
        timer.waits.add(op, adding.ended);
        adding.wakes = true;
    }

private:
    struct timer_wait : wait_op {
        static constexpr tracked_name name{"deadline_timer", "async_wait"};

        timer_wait(core& in, const time_type& when)
            : wait_op(in, first_look(when), is_clock_of_loop<TimeTraits> ? nullptr : &look), expiry(when) {}

        static loop::time_point look(const wait_op& op) {
            return next_look(static_cast<const timer_wait&>(op).expiry);
        }

        time_type expiry;
    };

    static loop::time_point first_look(const time_type& expiry) {
        if constexpr (is_clock_of_loop<TimeTraits>) {
            return expiry;
        } else {
            return next_look(expiry);
        }
    }

    /// Returns the time of the next check, or time_point::min() if `expiry` has been reached. The next check
    /// is at most five minutes later, because the clock might be changed during the wait.
    static loop::time_point next_look(const time_type& expiry) {
        constexpr std::int64_t microseconds_max = 300'000'000;
        const auto now = TimeTraits::now();
        if (!TimeTraits::less_than(now, expiry)) return loop::time_point::min();
        const auto left = TimeTraits::to_posix_duration(TimeTraits::subtract(expiry, now));
        const std::int64_t ticks = left.ticks();
        std::int64_t microseconds = ticks <= 0 ? 0 : left.total_microseconds();
        if (microseconds < 0 || microseconds > microseconds_max) microseconds = microseconds_max;
        return std::chrono::steady_clock::now() +
               std::chrono::microseconds(std::max<std::int64_t>(microseconds, 1));
    }

    std::size_t cancel(implementation_type& timer, std::size_t count_max) noexcept {
        core::change cancelling(*core_);
        if (timer.waits.empty()) return 0;
        BOOST_ASIO_HANDLER_OPERATION(
            (core_->owner(), "deadline_timer", &timer, 0, count_max == 1 ? "cancel_one" : "cancel"));
        return timer.waits.cancel(count_max, cancelling.ended);
    }

    core* core_;
};

}  // namespace loopbench::asio::detail

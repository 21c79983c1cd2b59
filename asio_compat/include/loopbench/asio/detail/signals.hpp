// Signals. Our signal handler writes the signal's number into a pipe that all contexts of the process share.
// The context that reads a number delivers the signal to the signal sets of all contexts that contain this
// signal. (A signalfd would deliver a signal to only one reader.)
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <vector>

#include "loop/io/fd.hpp"
#include "loopbench/asio/detail/descriptor_io.hpp"

namespace boost::asio::detail {
class signal_set_service;
}

namespace loopbench::asio::detail {

/// A pending wait of one signal set.
struct signal_work : operation {
    static constexpr tracked_name name{"signal_set", "async_wait"};

    explicit signal_work(core& in) noexcept : in_core(in) {}

    static bool is_over(core&, completion) noexcept { return true; }
    template <class Handler>
    auto bind(Handler& handler) {
        return bind_result(handler, ec, signal);
    }

    core& in_core;
    error_code ec;
    int signal = 0;
    const void* cancellation_key = nullptr;
};

/// The signals of a signal set, and the operations that wait for these signals.
struct wanted_signals {
    struct wanted {
        int signal;
        std::size_t undelivered;  // number of signals that arrived while no operation waited
    };

    std::vector<wanted> signals;
    loop::operation_queue waiting;  // contains objects of type signal_work

    wanted* find(int signal) noexcept {
        const auto found =
            std::find_if(signals.begin(), signals.end(), [=](const wanted& w) { return w.signal == signal; });
        return found == signals.end() ? nullptr : &*found;
    }
};

/// All signal sets of the process. Any thread can call these functions. They hold the lock until all waits
/// that they have ended are in the queues of their contexts, because a context must not end while one of its
/// waits is in no queue (take_waits_of()).
class signal_hub {
public:
    static signal_hub& of_process() {
        static signal_hub* const hub = new signal_hub;  // never deleted: signals can arrive at exit
        return *hub;
    }

    /// Returns the non-blocking descriptor from which the signal numbers are read.
    int read_end() const noexcept { return ends_[0]; }

    /// Adds a signal to the set. `flags` are the flags of sigaction(2).
    error_code add(wanted_signals& set, int signal, int flags) {
        if (signal < 0 || signal >= NSIG) return boost::asio::error::invalid_argument;
        const std::lock_guard lock(mutex_);
        if (set.find(signal) != nullptr) return {};
        std::size_t& sets = sets_that_want_[static_cast<std::size_t>(signal)];
        set.signals.push_back({signal, 0});
        if (sets == 0 && !set_action(signal, &write_number, flags)) {
            set.signals.pop_back();
            return from_errno(errno);
        }
        ++sets;
        if (set.signals.size() == 1) sets_.push_back(&set);
        return {};
    }

    error_code remove(wanted_signals& set, int signal) {
        if (signal < 0 || signal >= NSIG) return boost::asio::error::invalid_argument;
        const std::lock_guard lock(mutex_);
        return set.find(signal) == nullptr ? error_code() : remove_wanted(set, signal);
    }

    error_code clear(wanted_signals& set) {
        const std::lock_guard lock(mutex_);
        while (!set.signals.empty()) {
            if (const error_code ec = remove_wanted(set, set.signals.back().signal)) return ec;
        }
        return {};
    }

    /// Waits for the next signal of the set. If the set has an undelivered signal, the wait completes
    /// immediately with this signal.
    void wait(wanted_signals& set, signal_work& work) {
        const std::lock_guard lock(mutex_);
        const auto come = std::find_if(set.signals.begin(), set.signals.end(),
                                       [](const auto& wanted) { return wanted.undelivered > 0; });
        if (come == set.signals.end()) return set.waiting.push(work);
        --come->undelivered;
        work.signal = come->signal;
        work.in_core.push(work);
    }

    /// Cancels the waits of the set that have this key. If `key` is null, cancels all waits of the set.
    void cancel(wanted_signals& set, const void* key = nullptr) {
        const std::lock_guard lock(mutex_);
        loop::operation_queue others;
        while (!set.waiting.empty()) {
            auto& work = static_cast<signal_work&>(set.waiting.pop());
            if (key != nullptr && work.cancellation_key != key) {
                others.push(work);
                continue;
            }
            work.ec = boost::asio::error::operation_aborted;
            work.in_core.push(work);
        }
        set.waiting.prepend(std::move(others));
    }

    /// Moves the waits of the context `ending` from all signal sets into `taken`.
    void take_waits_of(const core& ending, loop::operation_queue& taken) {
        const std::lock_guard lock(mutex_);
        for (wanted_signals* const set : sets_) {
            loop::operation_queue others;
            while (!set->waiting.empty()) {
                auto& work = static_cast<signal_work&>(set->waiting.pop());
                (&work.in_core == &ending ? taken : others).push(work);
            }
            set->waiting.prepend(std::move(others));
        }
    }

    /// Reads all signal numbers from the pipe, and delivers the signals.
    void read_all() noexcept {
        int signal = 0;
        while (::read(ends_[0], &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal))
            deliver(signal);
    }

    /// Creates a new pipe in the child of a fork, because the old pipe also receives the parent's signals.
    /// The descriptor numbers stay the same. Every context of the child calls this function. Only the first
    /// call has an effect.
    void begin_anew_in_child() {
        if (std::exchange(process_, ::getpid()) == ::getpid()) return;
        std::array<int, 2> fresh{};
        open(fresh);
        for (std::size_t end = 0; end < 2; ++end) {
            static_cast<void>(::dup3(fresh[end], ends_[end], O_CLOEXEC));
            ::close(fresh[end]);
        }
    }

private:
    signal_hub() {
        open(ends_);
        write_end_ = ends_[1];
    }

    static void open(std::array<int, 2>& ends) {
        loop::checked(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), "pipe2");
    }

    static void write_number(int signal) {
        const int before = errno;
        static_cast<void>(!::write(write_end_, &signal, sizeof signal));
        errno = before;
    }

    static bool set_action(int signal, void (*function)(int), int flags) noexcept {
        struct sigaction action {};
        action.sa_handler = function;
        action.sa_flags = flags;
        ::sigfillset(&action.sa_mask);
        return ::sigaction(signal, &action, nullptr) == 0;
    }

    error_code remove_wanted(wanted_signals& set, int signal) {
        std::size_t& sets = sets_that_want_[static_cast<std::size_t>(signal)];
        if (sets == 1 && !set_action(signal, SIG_DFL, 0)) return from_errno(errno);
        --sets;
        set.signals.erase(set.signals.begin() + (set.find(signal) - set.signals.data()));
        if (set.signals.empty()) sets_.erase(std::find(sets_.begin(), sets_.end(), &set));
        return {};
    }

    void deliver(int signal) noexcept {
        const std::lock_guard lock(mutex_);
        for (wanted_signals* const set : sets_) {
            auto* const wanted = set->find(signal);
            if (wanted == nullptr) continue;
            if (set->waiting.empty()) ++wanted->undelivered;
            while (!set->waiting.empty()) {
                auto& work = static_cast<signal_work&>(set->waiting.pop());
                work.signal = signal;
                work.in_core.push(work);
            }
        }
    }

    static inline int write_end_ = -1;  // used by the signal handler

    std::mutex mutex_;
    pid_t process_ = ::getpid();
    std::array<int, 2> ends_{};
    std::vector<wanted_signals*> sets_;  // the sets that contain at least one signal
    std::array<std::size_t, NSIG> sets_that_want_{};
};

/// A context's reader of the pipe. The reader does not count as work, and thus does not
/// keep run() from returning.
class signal_watch final : public boost::asio::detail::execution_context_service_base<signal_watch> {
public:
    explicit signal_watch(boost::asio::execution_context& context)
        : execution_context_service_base(context), core_(core_of(static_cast<io_context&>(context))) {
        ear_.kind = loop::io_kind::input_call;
        ear_.fd = signal_hub::of_process().read_end();
        ear_.call = [](loop::io_operation& op) noexcept {
            signal_hub::of_process().read_all();
            op.result = -EAGAIN;  // read_all() empties the pipe, and the read waits again
            return false;
        };
        ear_.complete = [](operation*, completion) {};
        core_.start(ear_);
    }

private:
    void shutdown() override {
        loop::operation_queue waits;
        signal_hub::of_process().take_waits_of(core_, waits);
        waits.discard_all();
    }
    void notify_fork(boost::asio::execution_context::fork_event event) override {
        if (event != boost::asio::execution_context::fork_child) return;
        core_.discard(ear_);
        signal_hub::of_process().begin_anew_in_child();
        core_.start(ear_);
    }

    core& core_;
    io_op ear_;
};

/// The object in a handler's cancellation slot that cancels the handler's wait. The object's address is the
/// key of the wait.
class signal_canceller {
public:
    explicit signal_canceller(wanted_signals& of) noexcept : set_(of) {}
#if __has_include(<boost/asio/cancellation_type.hpp>)
    void operator()(boost::asio::cancellation_type_t type) {
        if (is_for_us(type)) signal_hub::of_process().cancel(set_, this);
    }
#endif

private:
    wanted_signals& set_;
};

/// The service of Asio's signal sets. It replaces Asio's signal_set_service.
class signal_service {
public:
    using implementation_type = wanted_signals;

    explicit signal_service(io_context& context) : core_(&core_of(context)) {
        boost::asio::use_service<signal_watch>(static_cast<boost::asio::execution_context&>(context));
    }

    void construct(implementation_type&) noexcept {}
    void destroy(implementation_type& set) {
        hub().clear(set);
        hub().cancel(set);
    }

    error_code add(implementation_type& set, int signal, error_code& ec) {
        return ec = hub().add(set, signal, 0);
    }
    /// Adds a signal. `Flags` is Asio's signal_set_base::flags_t, which Boost versions before 1.83 do not
    /// have.
    template <class Flags>
    error_code add(implementation_type& set, int signal, Flags flags, error_code& ec) {
        const int value = static_cast<int>(flags);
        return ec = hub().add(set, signal, value == -1 ? 0 : value);  // -1 is Asio's dont_care
    }
    error_code remove(implementation_type& set, int signal, error_code& ec) {
        return ec = hub().remove(set, signal);
    }
    error_code clear(implementation_type& set, error_code& ec) { return ec = hub().clear(set); }
    error_code cancel(implementation_type& set, error_code& ec) {
        BOOST_ASIO_HANDLER_OPERATION((core_->owner(), "signal_set", &set, 0, "cancel"));
        hub().cancel(set);
        return ec = {};
    }

    template <class Handler, class IoExecutor>
    void async_wait(implementation_type& set, Handler& handler, const IoExecutor& executor) {
        auto slot = slot_of(handler);
        const void* const key = install<signal_canceller>(slot, set);
        auto& work = handler_op<signal_work, Handler, IoExecutor>::make(*core_, handler, executor, *core_);
        work.track(&set);
        work.cancellation_key = key;
        hub().wait(set, work);
    }

private:
    static signal_hub& hub() { return signal_hub::of_process(); }

    core* core_;
};

}  // namespace loopbench::asio::detail

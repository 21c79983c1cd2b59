// The context and its executors, as Asio's classes and programs see them.
#pragma once

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/detail/handler_tracking.hpp>
#include <boost/asio/detail/scheduler.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "loopbench/asio/detail/core.hpp"
#include "loopbench/asio/detail/handler.hpp"
#include "loopbench/asio/detail/memory.hpp"

namespace boost::asio {
class loopbench_io_context;
}

namespace loopbench::asio {

/// The context on a loop of this project. Its class is in Asio's namespace, so that argument-dependent lookup
/// finds Asio's functions for the context and its executors, as it does for Asio's own context. In a program
/// that is compiled with dropin.hpp, the program's own declaration `class io_context;` declares this class.
using io_context = boost::asio::loopbench_io_context;

namespace detail {
core& core_of(io_context& context) noexcept;
}

}  // namespace loopbench::asio

namespace boost::asio {

/// A replacement for boost::asio::io_context that runs on a loop of this project. Its functions do the same
/// as Asio's and throw the same exceptions. In addition, they throw std::system_error if the kernel refuses a
/// call of the loop. Unlike in Asio, only one thread runs the context at a time. A second thread that calls
/// run() waits until the first thread has left run(), and then continues.
class loopbench_io_context : public execution_context {
    using core = loopbench::asio::detail::core;

public:
    template <class Allocator, std::uintptr_t Bits>
    class basic_executor_type;
    using executor_type = basic_executor_type<std::allocator<void>, 0>;
    using count_type = std::size_t;
    class work;
    class service;
    class strand;

    /// Uses the loop that the environment variable LOOPBENCH_ASIO names: epoll (the default) or io_uring.
    /// Throws std::invalid_argument if the variable has another value.
    loopbench_io_context() : loopbench_io_context(loopbench::asio::detail::design_from_environment()) {}
    /// Does the same as io_context(). The hint has no effect.
    explicit loopbench_io_context(int /*concurrency_hint*/) : loopbench_io_context() {}
    explicit loopbench_io_context(loopbench::asio::design chosen);

    // The constructors below exist with those versions of Boost whose own io_context has them: since 1.87
    // with a service_maker, such as config_from_string, and since 1.90 with an allocator. The options of a
    // service_maker have no effect on the loop.
    template <class Maker>
    requires std::constructible_from<boost::asio::execution_context, const Maker&>
    explicit loopbench_io_context(const Maker& initial_services)
        : loopbench_io_context(to_base(), initial_services) {}
    template <class Allocator>
    requires std::constructible_from<boost::asio::execution_context, std::allocator_arg_t, const Allocator&>
    loopbench_io_context(std::allocator_arg_t with, const Allocator& allocator)
        : loopbench_io_context(to_base(), with, allocator) {}
    template <class Allocator>
    requires std::constructible_from<boost::asio::execution_context, std::allocator_arg_t, const Allocator&>
    loopbench_io_context(std::allocator_arg_t with, const Allocator& allocator, int /*concurrency_hint*/)
        : loopbench_io_context(to_base(), with, allocator) {}
    template <class Allocator, class Maker>
    requires std::constructible_from<boost::asio::execution_context, std::allocator_arg_t, const Allocator&,
                                     const Maker&>
    loopbench_io_context(std::allocator_arg_t with, const Allocator& allocator, const Maker& initial_services)
        : loopbench_io_context(to_base(), with, allocator, initial_services) {}
    ~loopbench_io_context() {
        core_.await_other_threads();
        shutdown();
        core_.discard();
        destroy();
    }

    executor_type get_executor() noexcept;

    count_type run() { return core_.run(core::without_limit, loopbench::loop::never); }
    count_type run_one() { return core_.run(1, loopbench::loop::never); }
    count_type poll() { return core_.run(core::without_limit, loopbench::loop::do_not_wait); }
    count_type poll_one() { return core_.run(1, loopbench::loop::do_not_wait); }
    template <class Rep, class Period>
    std::size_t run_for(const std::chrono::duration<Rep, Period>& time) {
        return run_until(std::chrono::steady_clock::now() + time);
    }
    template <class Clock, class Duration>
    std::size_t run_until(const std::chrono::time_point<Clock, Duration>& when) {
        return run_until(core::without_limit, when);
    }
    template <class Rep, class Period>
    std::size_t run_one_for(const std::chrono::duration<Rep, Period>& time) {
        return run_one_until(std::chrono::steady_clock::now() + time);
    }
    template <class Clock, class Duration>
    std::size_t run_one_until(const std::chrono::time_point<Clock, Duration>& when) {
        return run_until(1, when);
    }
    void stop() { core_.stop(); }
    bool stopped() const { return core_.stopped(); }
    void restart() { core_.restart(); }

    /// Returns the name of the loop's design.
    std::string_view design_name() const noexcept { return loopbench::asio::detail::name_of(design_); }
    /// Returns true if an object with Asio's own services was created on this context. In this case, run()
    /// throws std::logic_error, because the object would run in one of Asio's own threads.
    bool uses_stock_scheduler() const noexcept { return core_.has_stock_scheduler(); }

#if !defined(BOOST_ASIO_NO_DEPRECATED)
    count_type run(boost::system::error_code& ec) {
        return ec.clear(), run();
    }
    count_type run_one(boost::system::error_code& ec) {
        return ec.clear(), run_one();
    }
    count_type poll(boost::system::error_code& ec) {
        return ec.clear(), poll();
    }
    count_type poll_one(boost::system::error_code& ec) {
        return ec.clear(), poll_one();
    }
    void reset() {
        restart();
    }
    template <class Token>
    auto dispatch(Token&& token);
    template <class Token>
    auto post(Token&& token);
    template <class Handler>
    auto wrap(Handler handler);
#endif

private:
    friend loopbench::asio::detail::core& loopbench::asio::detail::core_of(
        loopbench_io_context& context) noexcept;

    struct to_base {};
    template <class... Arguments>
    explicit loopbench_io_context(to_base tag, const Arguments&... arguments);

    template <class Clock, class Duration>
    std::size_t run_until(std::size_t handlers_max, const std::chrono::time_point<Clock, Duration>& when) {
        // The clock is read again at least once a second, because the clock might be set to another
        // time during the wait.
        constexpr std::chrono::seconds looks_every{1};
        std::size_t count = 0;
        for (auto now = Clock::now(); now < when && count < handlers_max && !stopped(); now = Clock::now()) {
            const auto rest = std::chrono::ceil<loopbench::loop::nanoseconds>(std::min(
                std::chrono::duration<double>(when - now), std::chrono::duration<double>(looks_every)));
            count += core_.run(handlers_max - count, std::chrono::steady_clock::now() + rest);
        }
        return count;
    }

    core core_;
    const loopbench::asio::design design_;
};

}  // namespace boost::asio

namespace loopbench::asio::detail {

/// A service through which the io_context is located when only an execution_context is available.
class self_service final : public boost::asio::detail::execution_context_service_base<self_service> {
public:
    explicit self_service(boost::asio::execution_context& of)
        : execution_context_service_base(of), self(static_cast<io_context&>(of)) {}

    io_context& self;

private:
    void shutdown() override {}
    void notify_fork(boost::asio::execution_context::fork_event event) override {
        if (event == boost::asio::execution_context::fork_child) core_of(self).begin_anew_in_child();
    }
};

}  // namespace loopbench::asio::detail

namespace boost::asio {

inline loopbench_io_context::loopbench_io_context(loopbench::asio::design chosen)
    : core_(*this, chosen), design_(chosen) {
    boost::asio::make_service<loopbench::asio::detail::self_service>(*this);
}

template <class... Arguments>
loopbench_io_context::loopbench_io_context(to_base /*tag*/, const Arguments&... arguments)
    : execution_context(arguments...),
      core_(*this, loopbench::asio::detail::design_from_environment()),
      design_(loopbench::asio::detail::design_from_environment()) {
    boost::asio::make_service<loopbench::asio::detail::self_service>(*this);
}

}  // namespace boost::asio

namespace loopbench::asio::detail {

inline core& core_of(io_context& context) noexcept {
    return context.core_;
}

inline bool core::has_stock_scheduler() const noexcept {
    return boost::asio::has_service<boost::asio::detail::scheduler>(owner_);
}

inline void core::refuse_stock_scheduler() const {
    if (!has_stock_scheduler()) [[likely]]
        return;
    throw std::logic_error(
        "an I/O object on a loopbench::asio::io_context would use Asio's own services and a thread of Asio, "
        "because the executor in the object's type is not loopbench::asio::io_context::executor_type (the "
        "default is any_io_executor); use the types of loopbench::asio, or basic_...<..., "
        "loopbench::asio::io_context::executor_type>, or compile with -include loopbench/asio/dropin.hpp");
}

/// A posted function. Its memory is released before the call. If the function posts itself again, it reuses
/// the same block of memory.
template <class Function, class Allocator>
class posted_function final : operation BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER {
public:
    /// Posts the function. `name` is the name of the executor's function for Asio's handler tracking.
    template <class F>
    static void post(core& to, [[maybe_unused]] const char* name, F&& function, const Allocator& allocator) {
        op_memory<posted_function, Allocator> memory(to, allocator);
        auto* const made = ::new (memory.get()) posted_function(to, std::forward<F>(function), memory);
        memory.release();
        BOOST_ASIO_HANDLER_CREATION((to.owner(), *made, "io_context", &to.owner(), 0, name));
        to.post(*made);
    }

private:
    using memory_type = op_memory<posted_function, Allocator>;

    template <class F>
    posted_function(core& to, F&& function, const memory_type& memory)
        : operation{nullptr, &run_or_discard},
          core_(to),
          memory_(memory.token()),
          function_(std::forward<F>(function)) {}

    // Destroys the posted function and frees its memory at the end of its scope.
    struct destroyed_function {
        ~destroyed_function() {
            self->~posted_function();
            memory_type::free(self, token);
        }
        posted_function* self;
        const typename memory_type::token_type& token;
    };

    static void run_or_discard(operation* op, completion how) {
        auto* const self = static_cast<posted_function*>(op);
        core& in = self->core_;
        const auto token = std::move(self->memory_);
        BOOST_ASIO_HANDLER_COMPLETION((*self));
        {
            std::optional<core::handler_scope> running;  // outlives `function`, whose captures can start work
            if (how == completion::run) running.emplace(in);
            auto function = [&] {
                const destroyed_function ending{self, token};
                return Function(std::move(self->function_));
            }();
            if (how == completion::discard) return;
            BOOST_ASIO_HANDLER_INVOCATION_BEGIN(());
            call_function(function);
            BOOST_ASIO_HANDLER_INVOCATION_END;
        }
        in.throw_kept_exception();
    }

    core& core_;
    [[no_unique_address]] typename memory_type::token_type memory_;
    Function function_;
};

}  // namespace loopbench::asio::detail

namespace boost::asio {

/// The executor of io_context. If `Bits` is 4, the executor counts as outstanding work; this property is part
/// of the type. Two other properties are stored in the lowest bits of the context's address: 1 means
/// blocking.never, and 2 means relationship.continuation, which has no effect.
template <class Allocator, std::uintptr_t Bits>
class loopbench_io_context::basic_executor_type : Allocator {
    static constexpr std::uintptr_t never = 1;
    static constexpr std::uintptr_t continuation = 2;
    static constexpr std::uintptr_t tracked = 4;
    static constexpr bool is_tracked = (Bits & tracked) != 0;
    using blocking_t = boost::asio::execution::blocking_t;
    using relationship_t = boost::asio::execution::relationship_t;
    using outstanding_work_t = boost::asio::execution::outstanding_work_t;
    template <class OtherAllocator>
    using with_allocator = basic_executor_type<OtherAllocator, Bits>;
    using with_tracked_work = basic_executor_type<Allocator, Bits | tracked>;
    using with_untracked_work = basic_executor_type<Allocator, Bits & ~tracked>;

public:
    basic_executor_type(const basic_executor_type& other) noexcept
        : Allocator(other.allocator()), target_(other.target_) {
        begin_work();
    }
    basic_executor_type(basic_executor_type&& other) noexcept
        : Allocator(other.allocator()),
          target_(is_tracked ? std::exchange(other.target_, 0) : other.target_) {}
    basic_executor_type& operator=(const basic_executor_type& other) noexcept {
        if (this != &other) {
            end_work();
            static_cast<Allocator&>(*this) = other.allocator();
            target_ = other.target_;
            begin_work();
        }
        return *this;
    }
    basic_executor_type& operator=(basic_executor_type&& other) noexcept {
        if (this != &other) {
            end_work();
            static_cast<Allocator&>(*this) = other.allocator();
            target_ = is_tracked ? std::exchange(other.target_, 0) : other.target_;
        }
        return *this;
    }
    ~basic_executor_type() { end_work(); }

    // The executor's properties, which Asio queries and requires.

    basic_executor_type require(blocking_t::possibly_t) const { return with_bits(bits() & ~never); }
    basic_executor_type require(blocking_t::never_t) const { return with_bits(bits() | never); }
    basic_executor_type require(relationship_t::fork_t) const { return with_bits(bits() & ~continuation); }
    basic_executor_type require(relationship_t::continuation_t) const {
        return with_bits(bits() | continuation);
    }
    with_tracked_work require(outstanding_work_t::tracked_t) const { return {target_, allocator()}; }
    with_untracked_work require(outstanding_work_t::untracked_t) const { return {target_, allocator()}; }
    template <class OtherAllocator>
    with_allocator<OtherAllocator> require(boost::asio::execution::allocator_t<OtherAllocator> a) const {
        return {target_, a.value()};
    }
    with_allocator<std::allocator<void>> require(boost::asio::execution::allocator_t<void>) const {
        return {target_, std::allocator<void>()};
    }

    static constexpr boost::asio::execution::mapping_t query(boost::asio::execution::mapping_t) noexcept {
        return boost::asio::execution::mapping.thread;
    }
#if __has_include(<boost/asio/execution/inline_exception_handling.hpp>)  // since Boost 1.90
    static constexpr boost::asio::execution::inline_exception_handling_t query(
        boost::asio::execution::inline_exception_handling_t) noexcept {
        return boost::asio::execution::inline_exception_handling.capture;  // as execute() does
    }
#endif
    loopbench_io_context& query(boost::asio::execution::context_t) const noexcept {
        return *context_or_null();
    }
    blocking_t query(blocking_t) const noexcept {
        return (bits() & never) != 0 ? blocking_t(boost::asio::execution::blocking.never)
                                     : blocking_t(boost::asio::execution::blocking.possibly);
    }
    relationship_t query(relationship_t) const noexcept {
        return (bits() & continuation) != 0
                   ? relationship_t(boost::asio::execution::relationship.continuation)
                   : relationship_t(boost::asio::execution::relationship.fork);
    }
    static constexpr outstanding_work_t query(outstanding_work_t) noexcept {
        return is_tracked ? outstanding_work_t(boost::asio::execution::outstanding_work.tracked)
                          : outstanding_work_t(boost::asio::execution::outstanding_work.untracked);
    }
    template <class OtherAllocator>
    Allocator query(boost::asio::execution::allocator_t<OtherAllocator>) const noexcept {
        return allocator();
    }
    Allocator query(boost::asio::execution::allocator_t<void>) const noexcept {
        return allocator();
    }

    friend bool operator==(const basic_executor_type& a, const basic_executor_type& b) noexcept {
        return a.target_ == b.target_ && a.allocator() == b.allocator();
    }
    friend bool operator!=(const basic_executor_type& a, const basic_executor_type& b) noexcept {
        return !(a == b);
    }

    bool running_in_this_thread() const noexcept {
        return in().runs_in_this_thread();
    }

    /// Calls the function directly if the calling thread is in run() and blocking.never is not set.
    /// Otherwise, posts the function. If a directly called function throws, run() throws the exception after
    /// the current handler has returned.
    template <class Function>
    void execute(Function&& function) const {
        if ((bits() & never) != 0 || !running_in_this_thread()) {
            post_as("execute", std::forward<Function>(function), allocator());
            return;
        }
        std::decay_t<Function> local(std::forward<Function>(function));
        try {
            loopbench::asio::detail::call_function(local);
        } catch (...) {
            in().keep_exception();
        }
    }

    // The executor's functions with the names that the Networking TS gives them.

    loopbench_io_context& context() const noexcept {
        return *context_or_null();
    }
    void on_work_started() const noexcept {
        in().work_started();
    }
    void on_work_finished() const noexcept {
        in().work_finished();
    }
    template <class Function, class OtherAllocator>
    void dispatch(Function&& function, const OtherAllocator& a) const {
        if (!running_in_this_thread()) return post_as("dispatch", std::forward<Function>(function), a);
        std::decay_t<Function> local(std::forward<Function>(function));
        loopbench::asio::detail::call_function(local);
    }
    template <class Function, class OtherAllocator>
    void post(Function&& function, const OtherAllocator& a) const {
        post_as("post", std::forward<Function>(function), a);
    }
    template <class Function, class OtherAllocator>
    void defer(Function&& function, const OtherAllocator& a) const {
        post_as("defer", std::forward<Function>(function), a);
    }

private:
    friend class loopbench_io_context;
    template <class, std::uintptr_t>
    friend class basic_executor_type;

    basic_executor_type(std::uintptr_t target, const Allocator& a) noexcept : Allocator(a), target_(target) {
        begin_work();
    }

    template <class Function, class OtherAllocator>
    void post_as(const char* name, Function&& function, const OtherAllocator& a) const {
        loopbench::asio::detail::posted_function<std::decay_t<Function>, OtherAllocator>::post(
            in(), name, std::forward<Function>(function), a);
    }

    basic_executor_type with_bits(std::uintptr_t bits) const noexcept {
        return {(target_ & ~(never | continuation)) | bits, allocator()};
    }
    std::uintptr_t bits() const noexcept {
        return target_ & (never | continuation);
    }
    const Allocator& allocator() const noexcept {
        return *this;
    }
    // Returns the context, or null if this executor tracked work and was moved from.
    loopbench_io_context* context_or_null() const noexcept {
        return reinterpret_cast<loopbench_io_context*>(target_ & ~(never | continuation));
    }
    core& in() const noexcept {
        return loopbench::asio::detail::core_of(*context_or_null());
    }
    void begin_work() const noexcept {
        if (is_tracked && context_or_null() != nullptr) in().work_started();
    }
    void end_work() const noexcept {
        if (is_tracked && context_or_null() != nullptr) in().work_finished();
    }

    std::uintptr_t target_;
};

inline loopbench_io_context::executor_type loopbench_io_context::get_executor() noexcept {
    return {reinterpret_cast<std::uintptr_t>(this), std::allocator<void>()};
}

/// The base class of a program's own services. It replaces boost::asio::io_context::service.
class loopbench_io_context::service : public boost::asio::execution_context::service {
public:
    loopbench_io_context& get_io_context() { return static_cast<loopbench_io_context&>(context()); }

protected:
    explicit service(loopbench_io_context& owner) : boost::asio::execution_context::service(owner) {}

private:
    void shutdown() override { shutdown_service(); }
    void notify_fork(boost::asio::execution_context::fork_event event) override { fork_service(event); }
    // The old names of shutdown() and notify_fork(). A program's service overrides the functions
    // with the old names.
    virtual void shutdown_service() {}
    virtual void fork_service(boost::asio::execution_context::fork_event) {}
};

}  // namespace boost::asio

namespace loopbench::asio::detail {

/// The function object that wrap() returns. Calling the object dispatches the handler with the arguments of
/// the call. If the handler can be copied, the object can be called more than once.
template <class Handler, class Executor>
class wrapped_handler : public boost::asio::executor_binder<Handler, Executor> {
    using base = boost::asio::executor_binder<Handler, Executor>;

public:
    wrapped_handler(const Executor& executor, Handler handler)
        : base(boost::asio::executor_arg, executor, std::move(handler)) {}

    template <class... Arguments>
    requires std::copy_constructible<Handler>
    void operator()(Arguments&&... arguments) const {
        dispatch(Handler(this->get()), std::forward<Arguments>(arguments)...);
    }
    template <class... Arguments>
    requires(!std::copy_constructible<Handler>) void operator()(Arguments&&... arguments) {
        dispatch(std::move(this->get()), std::forward<Arguments>(arguments)...);
    }

private:
    template <class... Arguments>
    void dispatch(Handler handler, Arguments&&... arguments) const {
        auto call = [called = std::move(handler), ... with = std::forward<Arguments>(arguments)]() mutable {
            called(std::move(with)...);
        };
        boost::asio::dispatch(this->get_executor(), std::move(call));
    }
};

}  // namespace loopbench::asio::detail

namespace boost::asio {

/// A replacement for boost::asio::io_context::strand. It derives from boost::asio::strand, the newer class
/// for the same purpose.
class loopbench_io_context::strand : public boost::asio::strand<loopbench_io_context::executor_type> {
    using base = boost::asio::strand<loopbench_io_context::executor_type>;

public:
    explicit strand(loopbench_io_context& context) : base(context.get_executor()) {}

    loopbench_io_context& context() const noexcept { return get_inner_executor().context(); }

    using base::dispatch;
    using base::post;
    template <class Token>
    auto dispatch(Token&& token) const {
        return boost::asio::dispatch(static_cast<const base&>(*this), std::forward<Token>(token));
    }
    template <class Token>
    auto post(Token&& token) const {
        return boost::asio::post(static_cast<const base&>(*this), std::forward<Token>(token));
    }
    template <class Handler>
    auto wrap(Handler handler) const {
        return loopbench::asio::detail::wrapped_handler<Handler, base>(*this, std::move(handler));
    }
};

#if !defined(BOOST_ASIO_NO_DEPRECATED)
class loopbench_io_context::work {
public:
    explicit work(loopbench_io_context& context) noexcept : context_(context) { in().work_started(); }
    work(const work& other) noexcept : work(other.context_) {}
    work& operator=(const work&) = delete;
    ~work() { in().work_finished(); }

    loopbench_io_context& get_io_context() noexcept { return context_; }

private:
    loopbench::asio::detail::core& in() const noexcept { return loopbench::asio::detail::core_of(context_); }

    loopbench_io_context& context_;
};

template <class Token>
auto loopbench_io_context::dispatch(Token&& token) {
    return boost::asio::dispatch(get_executor(), std::forward<Token>(token));
}

template <class Token>
auto loopbench_io_context::post(Token&& token) {
    return boost::asio::post(get_executor(), std::forward<Token>(token));
}

template <class Handler>
auto loopbench_io_context::wrap(Handler handler) {
    return loopbench::asio::detail::wrapped_handler<Handler, executor_type>(get_executor(),
                                                                            std::move(handler));
}
#endif

}  // namespace boost::asio

namespace loopbench::asio::detail {

// Boost 1.91 and later deprecate add_service() for programs.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Service>
void add_to(boost::asio::execution_context& context, Service* service) {
    boost::asio::add_service<Service>(context, service);
}
#pragma GCC diagnostic pop

template <class Service>
inline boost::asio::detail::service_id<Service> by_type;

/// Returns an ID with which Asio makes the same key as for the service itself (service_registry::init_key).
template <class Service>
constexpr auto& id_of_service() noexcept {
#if !defined(BOOST_ASIO_NO_TYPEID)
    // Asio finds a service with a member key_type by its type.
    if constexpr (requires { requires std::is_base_of_v<typename Service::key_type, Service>; }) {
        return by_type<Service>;
    } else {
        return Service::id;
    }
#else
    return Service::id;
#endif
}

/// The type with which Asio looks for a program's service that the context already has. Asio's use_service()
/// needs a type that it can construct from an execution_context; it never constructs this one.
template <class Service>
struct existing_service final : boost::asio::execution_context::service {
    static constexpr auto& id = id_of_service<Service>();

    explicit existing_service(boost::asio::execution_context& context) : service(context) {
        throw std::logic_error("loopbench::asio: a service has left its context");
    }
    void shutdown() override {}
};

template <class Service>
Service& find_service(boost::asio::execution_context& context) {
    boost::asio::execution_context::service& found =
        boost::asio::use_service<existing_service<Service>>(context);
    return static_cast<Service&>(found);
}

}  // namespace loopbench::asio::detail

namespace boost::asio {

/// Returns the context's service of type `Service`, like Asio's function for its own io_context. The
/// service's constructor can take an io_context or an execution_context. Any thread can call this function.
template <class Service>
Service& use_service(loopbench_io_context& context) {
    auto& any = static_cast<execution_context&>(context);
    if constexpr (std::is_constructible_v<Service, execution_context&>) {
        return use_service<Service>(any);
    } else {
        if (!has_service<Service>(any)) {
            auto made = std::make_unique<Service>(context);
            try {
                loopbench::asio::detail::add_to(any, made.get());
                return *made.release();
            } catch (const service_already_exists&) {  // another thread was faster
            }
        }
        return loopbench::asio::detail::find_service<Service>(any);
    }
}

/// Adds a service to the context, like Asio's function for its own io_context. The context owns the service
/// from now on. Throws service_already_exists or invalid_service_owner; then the caller still owns the
/// service.
template <class Service>
void add_service(loopbench_io_context& context, Service* service) {
    loopbench::asio::detail::add_to<Service>(context, service);
}

}  // namespace boost::asio

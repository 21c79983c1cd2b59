// Connects Asio's public classes to the loop. Each Asio socket, timer and signal set has one member: an
// io_object_impl of a service and an executor. This file specialises io_object_impl for executors of our
// context.
#pragma once

#include <boost/asio/detail/io_object_impl.hpp>
#include <concepts>

#include "loopbench/asio/detail/descriptors.hpp"
#include "loopbench/asio/detail/executor_work.hpp"
#include "loopbench/asio/detail/files.hpp"
#include "loopbench/asio/detail/resolver.hpp"
#include "loopbench/asio/detail/serial_ports.hpp"
#include "loopbench/asio/detail/signals.hpp"
#include "loopbench/asio/detail/sockets.hpp"
#include "loopbench/asio/detail/timers.hpp"

namespace loopbench::asio::detail {

template <class AsiosService>
inline constexpr bool is_replaced = false;

/// The mapping from each Asio service to the service of ours that replaces it. An object whose service has no
/// entry here does not compile, because Asio's own service would start a thread.
template <class AsiosService>
struct our_service {
    static_assert(
        is_replaced<AsiosService>,
        "loopbench has no replacement for this service of an I/O object on its io_context; give the "
        "object the executor of a context that keeps Asio's services, for example of a thread_pool");
    using type = AsiosService;  // avoids a second error
};
template <class Protocol>
struct our_service<boost::asio::detail::reactive_socket_service<Protocol>> {
    using type = socket_service<Protocol>;
};
template <class TimeTraits>
struct our_service<boost::asio::detail::deadline_timer_service<TimeTraits>> {
    using type = timer_service<TimeTraits>;
};
template <class Protocol>
struct our_service<boost::asio::detail::resolver_service<Protocol>> {
    using type = resolver_service<Protocol>;
};
template <>
struct our_service<boost::asio::detail::reactive_descriptor_service> {
    using type = descriptor_service;
};
template <>
struct our_service<boost::asio::detail::posix_serial_port_service> {
    using type = serial_port_service;
};
#if defined(BOOST_ASIO_HAS_FILE)
template <>
struct our_service<boost::asio::detail::io_uring_file_service> {
    using type = file_service;
};
#endif
template <>
struct our_service<boost::asio::detail::signal_set_service> {
    using type = signal_service;
};

/// True for a polymorphic executor, which can contain any executor and usually contains ours (dropin.hpp).
template <class Executor>
inline constexpr bool is_polymorphic = false;

template <class Executor>
concept leads_here_by_query = requires(const Executor& executor) {
    { boost::asio::query(executor, boost::asio::execution::context) } -> std::convertible_to<io_context&>;
};
/// True for an executor of the Networking TS whose member context() returns our io_context.
template <class Executor>
concept leads_here_by_member = requires(const Executor& executor) {
    { executor.context() } -> std::convertible_to<io_context&>;
};
template <class Executor>
concept leads_here = leads_here_by_query<Executor> || leads_here_by_member<Executor>;

inline io_context& our_context(io_context& context) noexcept {
    return context;
}
/// Returns the context as a loopbench::asio::io_context. Throws std::logic_error if it is not one.
inline io_context& our_context(boost::asio::execution_context& context) {
    if (boost::asio::has_service<self_service>(context))
        return boost::asio::use_service<self_service>(context).self;
    throw std::logic_error(
        "an I/O object was created on an execution context that is not a loopbench::asio::io_context (for "
        "example a thread_pool); give the object an executor of a loopbench::asio::io_context");
}
template <class Executor>
io_context& context_of(const Executor& executor) {
    // If the executor's target is our own executor, this is faster than query().
    if constexpr (requires { executor.template target<io_context::executor_type>(); }) {
        if (const auto* const ours = executor.template target<io_context::executor_type>())
            return ours->context();
    }
    if constexpr (leads_here_by_member<Executor>) {
        return executor.context();
    } else {
        return our_context(boost::asio::query(executor, boost::asio::execution::context));
    }
}

/// A replacement for Asio's io_object_impl. The service is a member, not a reference, because it contains
/// only the context's address.
template <class AsiosService, class Executor>
class io_object {
public:
    using service_type = typename our_service<AsiosService>::type;
    using implementation_type = typename service_type::implementation_type;
    using executor_type = Executor;

    explicit io_object(int, const executor_type& executor)
        : service_(context_of(executor)), executor_(executor) {
        service_.construct(implementation_);
    }
    template <class ExecutionContext>
    explicit io_object(int, int, ExecutionContext& context)
        : service_(our_context(context)), executor_(context.get_executor()) {
        service_.construct(implementation_);
    }
    io_object(io_object&& other) : service_(other.service_), executor_(other.executor_) {
        service_.move_construct(implementation_, other.implementation_);
    }
    template <class OtherExecutor>
    io_object(io_object<AsiosService, OtherExecutor>&& other)
        : service_(other.get_service()), executor_(other.get_executor()) {
        service_.move_construct(implementation_, other.get_implementation());
    }
    template <class OtherService, class OtherExecutor>
    io_object(io_object<OtherService, OtherExecutor>&& other)
        : service_(context_of(other.get_executor())), executor_(other.get_executor()) {
        service_.converting_move_construct(implementation_, other.get_service(), other.get_implementation());
    }
    io_object(const io_object&) = delete;
    io_object& operator=(const io_object&) = delete;
    io_object& operator=(io_object&& other) {
        if (this == &other) return *this;
        service_.move_assign(implementation_, other.service_, other.implementation_);
        service_ = other.service_;
        std::destroy_at(&executor_);  // some executors can be copied, but not assigned
        std::construct_at(&executor_, other.executor_);
        return *this;
    }
    ~io_object() { service_.destroy(implementation_); }

    const executor_type& get_executor() noexcept { return executor_; }
    service_type& get_service() noexcept { return service_; }
    const service_type& get_service() const noexcept { return service_; }
    implementation_type& get_implementation() noexcept { return implementation_; }
    const implementation_type& get_implementation() const noexcept { return implementation_; }

private:
    service_type service_;
    implementation_type implementation_;
    executor_type executor_;
};

}  // namespace loopbench::asio::detail

namespace boost::asio::detail {

template <class Service, class Executor>
requires(loopbench::asio::detail::leads_here<Executor> ||
         loopbench::asio::detail::is_polymorphic<Executor>) class io_object_impl<Service, Executor>
    : public loopbench::asio::detail::io_object<Service, Executor> {
    using base = loopbench::asio::detail::io_object<Service, Executor>;

public:
    using base::base;

    io_object_impl(io_object_impl&&) = default;
    io_object_impl& operator=(io_object_impl&&) = default;
    template <class OtherService, class OtherExecutor>
    io_object_impl(io_object_impl<OtherService, OtherExecutor>&& other)
        : base(static_cast<loopbench::asio::detail::io_object<OtherService, OtherExecutor>&&>(other)) {}
};

}  // namespace boost::asio::detail

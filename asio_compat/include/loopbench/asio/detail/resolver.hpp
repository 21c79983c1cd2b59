// Resolves names to addresses. Each context that resolves names has one look-up thread, because
// getaddrinfo(3) blocks until a name server answers. This code, not Asio, starts the thread.
#pragma once

#include <boost/asio/detail/socket_ops.hpp>
#include <boost/asio/detail/throw_error.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/basic_resolver_results.hpp>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "loopbench/asio/detail/handler.hpp"
#include "loopbench/asio/detail/io_context.hpp"

namespace boost::asio::detail {
template <class Protocol>
class resolver_service;
}

namespace loopbench::asio::detail {

namespace socket_ops = boost::asio::detail::socket_ops;

/// A look-up that runs in the look-up thread and completes on the loop.
struct lookup_op : operation {
    static constexpr tracked_name name{"resolver", "async_resolve"};

    void (*look_up)(lookup_op&) noexcept = nullptr;
    error_code ec;
};

/// A service with a thread that does the look-ups in the order of the requests. The first
/// request starts the thread.
class lookup_thread final : public boost::asio::detail::execution_context_service_base<lookup_thread> {
public:
    explicit lookup_thread(boost::asio::execution_context& context)
        : execution_context_service_base(context), core_(core_of(static_cast<io_context&>(context))) {}
    ~lookup_thread() override { lookup_thread::shutdown(); }

    /// Adds a look-up. Any thread can call this function. The operation's handler must already be counted as
    /// work. The operation completes through the ready queue. If the look-up thread cannot start, the
    /// operation completes with an error.
    void ask(lookup_op& op) noexcept {
        try {
            const std::lock_guard lock(mutex_);
            if (!thread_.joinable() && !is_over_)
                thread_ = std::jthread([this](const std::stop_token& stopping) { work(stopping); });
            questions_.push(op);
            changed_.notify_one();
            return;
        } catch (const std::system_error& refused) {
            op.ec = from_errno(refused.code().value());
        } catch (const std::bad_alloc&) {
            op.ec = boost::asio::error::no_memory;
        }
        core_.push(op);
    }

private:
    void shutdown() override {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        end_thread();
        questions_.discard_all();
    }

    // Ends the thread before a fork, because threads do not survive a fork. If requests are left after the
    // fork, the thread is started again; otherwise, the next request starts it.
    void notify_fork(boost::asio::execution_context::fork_event event) override {
        if (event == boost::asio::execution_context::fork_prepare) {
            end_thread();
        } else if (!questions_.empty()) {
            thread_ = std::jthread([this](const std::stop_token& stopping) { work(stopping); });
        }
    }

    void end_thread() {
        if (!thread_.joinable()) return;
        thread_.request_stop();
        thread_.join();
    }

    void work(const std::stop_token& stopping) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, stopping, [this] { return !questions_.empty(); }) &&
               !stopping.stop_requested()) {
            auto& op = static_cast<lookup_op&>(questions_.pop());
            lock.unlock();
            op.look_up(op);
            core_.push(op);
            lock.lock();
        }
    }

    core& core_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    loop::operation_queue questions_;
    bool is_over_ = false;
    std::jthread thread_;
};

/// A look-up of the addresses for a name. `Query` contains a host, a service and hints.
template <class Protocol, class Query>
struct name_lookup : lookup_op {
    using results_type = boost::asio::ip::basic_resolver_results<Protocol>;

    name_lookup(const socket_ops::weak_cancel_token_type& while_valid, const Query& asked)
        : token(while_valid), query(asked) {
        look_up = [](lookup_op& op) noexcept {
            auto& self = static_cast<name_lookup&>(op);
            socket_ops::background_getaddrinfo(self.token, self.query.host_name().c_str(),
                                               self.query.service_name().c_str(), self.query.hints(),
                                               &self.found, self.ec);
        };
    }
    name_lookup& operator=(name_lookup&&) = delete;
    ~name_lookup() {
        if (found != nullptr) socket_ops::freeaddrinfo(found);
    }

    static bool is_over(core&, completion) noexcept { return true; }
    template <class Handler>
    auto bind(Handler& handler) {
        const auto results = found == nullptr
                                 ? results_type()
                                 : results_type::create(found, query.host_name(), query.service_name());
        return bind_result(handler, ec, results);
    }

    socket_ops::weak_cancel_token_type token;
    Query query;
    boost::asio::detail::addrinfo_type* found = nullptr;
};

/// A look-up of the name for an address.
template <class Protocol, class Endpoint>
struct address_lookup : lookup_op {
    using results_type = boost::asio::ip::basic_resolver_results<Protocol>;

    address_lookup(const socket_ops::weak_cancel_token_type& while_valid, const Endpoint& asked)
        : token(while_valid), endpoint(asked) {
        look_up = [](lookup_op& op) noexcept {
            auto& self = static_cast<address_lookup&>(op);
            socket_ops::background_getnameinfo(self.token, self.endpoint.data(), self.endpoint.size(),
                                               self.host, NI_MAXHOST, self.service, NI_MAXSERV,
                                               self.endpoint.protocol().type(), self.ec);
        };
    }

    static bool is_over(core&, completion) noexcept { return true; }
    template <class Handler>
    auto bind(Handler& handler) {
        const auto results = ec ? results_type() : results_type::create(endpoint, host, service);
        return bind_result(handler, ec, results);
    }

    socket_ops::weak_cancel_token_type token;
    Endpoint endpoint;
    char host[NI_MAXHOST] = "";
    char service[NI_MAXSERV] = "";
};

/// The service of Asio's resolvers. It replaces Asio's resolver_service.
template <class Protocol>
class resolver_service {
public:
    /// A cancel token. Look-ups hold weak pointers to the token. A look-up whose weak pointer
    /// has expired is cancelled.
    using implementation_type = socket_ops::shared_cancel_token_type;
    using endpoint_type = typename Protocol::endpoint;
    using results_type = boost::asio::ip::basic_resolver_results<Protocol>;

    explicit resolver_service(io_context& context) noexcept : context_(&context) {}

    void construct(implementation_type& impl) { renew(impl); }
    void destroy(implementation_type& impl) { impl.reset(); }
    void move_construct(implementation_type& impl, implementation_type& other) { impl = std::move(other); }
    void move_assign(implementation_type& impl, resolver_service&, implementation_type& other) {
        impl = std::move(other);
    }
    void cancel(implementation_type& impl) {
        BOOST_ASIO_HANDLER_OPERATION((*context_, "resolver", &impl, 0, "cancel"));
        renew(impl);
    }

    template <class Query>
    results_type resolve(implementation_type&, const Query& query, error_code& ec) {
        boost::asio::detail::addrinfo_type* found = nullptr;
        socket_ops::getaddrinfo(query.host_name().c_str(), query.service_name().c_str(), query.hints(),
                                &found, ec);
        const std::unique_ptr<boost::asio::detail::addrinfo_type,
                              void (*)(boost::asio::detail::addrinfo_type*)>
            owner(found, [](boost::asio::detail::addrinfo_type* list) { socket_ops::freeaddrinfo(list); });
        return ec ? results_type() : results_type::create(found, query.host_name(), query.service_name());
    }
    results_type resolve(implementation_type&, const endpoint_type& endpoint, error_code& ec) {
        char host[NI_MAXHOST];
        char service[NI_MAXSERV];
        socket_ops::sync_getnameinfo(endpoint.data(), endpoint.size(), host, sizeof host, service,
                                     sizeof service, endpoint.protocol().type(), ec);
        return ec ? results_type() : results_type::create(endpoint, host, service);
    }

    template <class Question, class Handler, class IoExecutor>
    void async_resolve(implementation_type& impl, const Question& question, Handler& handler,
                       const IoExecutor& executor) {
        using work = std::conditional_t<std::is_same_v<Question, endpoint_type>,
                                        address_lookup<Protocol, Question>, name_lookup<Protocol, Question>>;
#if !defined(BOOST_ASIO_HAS_THREADS)
        boost::asio::detail::throw_error(boost::asio::error::operation_not_supported, "thread");  // like Asio
#endif
        auto& thread =
            boost::asio::use_service<lookup_thread>(static_cast<boost::asio::execution_context&>(*context_));
        auto& op = handler_op<work, Handler, IoExecutor>::make(core_of(*context_), handler, executor, impl,
                                                               question);
        op.track(&impl);
        thread.ask(op);
    }

private:
    static void renew(implementation_type& impl) {
        impl.reset(static_cast<void*>(nullptr), socket_ops::noop_deleter());
    }

    io_context* context_;
};

}  // namespace loopbench::asio::detail

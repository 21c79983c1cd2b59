// The hooks with which a handler allocates the memory of its operations (asio_handler_allocate), in the
// versions of Boost that have them: up to 1.83, unless BOOST_ASIO_NO_DEPRECATED is defined.
#pragma once

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/detail/handler_alloc_helpers.hpp>
#include <boost/version.hpp>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "loopbench/asio/detail/memory.hpp"

#if BOOST_VERSION / 100 <= 1083 && defined(BOOST_ASIO_HAS_HANDLER_HOOKS) && !defined(BOOST_ASIO_NO_DEPRECATED)

namespace boost::beast {
template <class Handler, class Executor, class Allocator>
class async_base;
namespace detail {
template <class Handler, class... Arguments>
class bind_wrapper;
template <class Handler, class... Arguments>
class bind_front_wrapper;
template <class Handler, class Executor>
class bind_default_executor_wrapper;
}  // namespace detail
}  // namespace boost::beast

namespace loopbench::asio::detail {

template <class Handler, class Default>
struct own_hooks;

namespace hook_lookup {

// Returns the handler inside one of Beast's composed operations or wrappers.
template <class Handler>
struct inside {
    using type = Handler;
};
template <class Handler, class Executor, class Allocator>
inside<Handler> handler_in(const volatile boost::beast::async_base<Handler, Executor, Allocator>*);
template <class Handler, class... Others>
inside<Handler> handler_in(const volatile boost::beast::detail::bind_wrapper<Handler, Others...>*);
template <class Handler, class... Others>
inside<Handler> handler_in(const volatile boost::beast::detail::bind_front_wrapper<Handler, Others...>*);
template <class Handler, class Executor>
inside<Handler> handler_in(
    const volatile boost::beast::detail::bind_default_executor_wrapper<Handler, Executor>*);

struct no_hook {};
// A call prefers every hook of the program to this function, and this function to Asio's default.
no_hook asio_handler_allocate(std::size_t, const volatile void*);

template <class Handler, class Default>
consteval bool has_own_hook() {
    if constexpr (requires(Handler * handler) { handler_in(handler); }) {
        using inner = typename decltype(handler_in(std::declval<Handler*>()))::type;
        return own_hooks<inner, Default>::type::value;
    } else {
        return !std::is_same_v<decltype(asio_handler_allocate(std::size_t(), std::declval<Handler*>())),
                               no_hook>;
    }
}

}  // namespace hook_lookup

/// Tells whether a handler has hooks of its own. Composed operations have hooks, too, which call those of the
/// program's handler. Therefore, this class is one of Asio's associators: for a composed operation of Asio,
/// the answer is that for the handler inside. handler_in() finds the handler inside Beast's operations.
template <class Handler, class Default>
struct own_hooks {
    using type = std::bool_constant<hook_lookup::has_own_hook<Handler, Default>()>;
    static type get(const Handler&) noexcept { return {}; }
    static type get(const Handler&, const Default&) noexcept { return {}; }
};
template <class Handler, class Default>
requires requires {
    typename boost::asio::associator<own_hooks, Handler, Default>::type;
}
struct own_hooks<Handler, Default> : boost::asio::associator<own_hooks, Handler, Default> {};

/// True if the hooks of the handler provide the memory of its operations. A handler with an associated
/// allocator does not use hooks.
template <class Handler>
inline constexpr bool uses_hooks = std::conjunction_v<
    std::bool_constant<is_default_allocator<typename boost::asio::associated_allocator<Handler>::type>>,
    typename own_hooks<Handler, std::allocator<void>>::type>;

/// The memory for an operation of type `Op` from the hooks of its handler. It has the interface of op_memory.
template <class Op, class Handler>
class hook_memory {
public:
    struct token_type {};

    explicit hook_memory(Handler& handler)
        : handler_(handler),
          block_(boost_asio_handler_alloc_helpers::allocate(sizeof(Op), handler, alignof(Op))) {}
    hook_memory& operator=(hook_memory&&) = delete;
    ~hook_memory() {
        if (block_ != nullptr) free(block_, handler_);
    }

    void* get() const noexcept { return block_; }
    token_type token() const noexcept { return {}; }
    void release() noexcept { block_ = nullptr; }

    static void free(void* block, Handler& handler) noexcept {
        boost_asio_handler_alloc_helpers::deallocate(block, sizeof(Op), handler);
    }

private:
    Handler& handler_;
    void* block_;
};

}  // namespace loopbench::asio::detail

#else

namespace loopbench::asio::detail {

template <class Handler>
inline constexpr bool uses_hooks = false;
template <class Op, class Handler>
class hook_memory;

}  // namespace loopbench::asio::detail

#endif

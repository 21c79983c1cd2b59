// The function gather() starts the children with co_spawn and counts them. This is faster than Asio's own
// experimental::make_parallel_group, which also stores a result and a cancellation signal for each child.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

namespace detail {

template <class Waiter>
struct join {
    join(Waiter&& to_wake, std::size_t children) : waiter(std::move(to_wake)), pending(children) {}

    void one_ended(std::exception_ptr error) {
        if (error && !first_error) first_error = std::move(error);
        if (--pending > 0) return;
        // The waiter might run before this function returns, and might destroy the owner of this join.
        // Therefore no member may be used afterwards.
        Waiter last_seen = std::move(waiter);
        std::move(last_seen)(std::move(first_error));
    }

    Waiter waiter;
    std::size_t pending;
    std::exception_ptr first_error;
};

// A function object that starts the children. Their completion handlers share one join. If the io_context
// destroys the handlers, the join and the waiting coroutine are also destroyed.
struct start_children {
    executor loop;

    template <class Waiter>
    void operator()(Waiter&& waiter, std::span<task<void>> children) const {
        using join_type = join<std::decay_t<Waiter>>;
        // The join and its reference count are in one block, because two small blocks per gather would
        // fragment glibc's heap and make allocations slower.
        const auto joined = std::make_shared<join_type>(std::forward<Waiter>(waiter), children.size());
        for (task<void>& child : children) {
            boost::asio::co_spawn(loop, std::move(child), [joined](std::exception_ptr error) {
                joined->one_ended(std::move(error));
            });
        }
    }
};

}  // namespace detail

/// Starts the children in order, and completes when all children have ended. Then throws the first exception
/// of a child.
inline task<void> gather(executor loop, std::span<task<void>> children) {
    if (children.empty()) co_return;
    co_await boost::asio::async_initiate<decltype(boost::asio::deferred), void(std::exception_ptr)>(
        detail::start_children{loop}, boost::asio::deferred, children);
}

}  // namespace loopbench::asio_ref

#pragma once

#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/channel.hpp>

#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

/// An event that is set once and awaited once, in either order. Use an event only in the loop's thread. The
/// event must outlive the wait.
class event {
public:
    template <class Runtime>
    explicit event(Runtime& runtime) : channel_(runtime.get_executor(), 1) {}

    event(const event&) = delete;
    event& operator=(const event&) = delete;

    void set() { channel_.try_send(boost::system::error_code()); }

    task<void> wait() { co_await channel_.async_receive(boost::asio::deferred); }

private:
    boost::asio::experimental::channel<executor, void(boost::system::error_code)> channel_;
};

}  // namespace loopbench::asio_ref

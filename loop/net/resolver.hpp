// Names to addresses, off the loop's thread: getaddrinfo(3) blocks, for seconds when a server does not
// answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "loop/coro/future.hpp"
#include "loop/loop.hpp"

namespace loopbench::loop {

/// One thread that looks names up in the order of asking. Must be destroyed before its loop. Destroying it
/// waits for the look-up that runs (a name server that does not answer holds that up for its time limit);
/// those behind it are dropped.
class resolver {
public:
    explicit resolver(event_loop& loop);

    /// Stream endpoints for a host name (or address in digits) and a port or service name. Throws
    /// std::runtime_error naming the host and the cause. Cancelling it lets the look-up end unheard.
    task<std::vector<endpoint>> resolve(std::string host, std::string service);

private:
    struct request {
        std::string host;
        std::string service;
        promise<std::vector<endpoint>> answer;  // the loop's thread's: the other one only moves it
    };

    void work(const std::stop_token& stopping);

    event_loop& loop_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<request> requests_;
    std::jthread thread_;
};

}  // namespace loopbench::loop

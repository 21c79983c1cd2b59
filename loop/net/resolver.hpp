// Names to addresses, off the loop's thread: getaddrinfo(3) blocks, for seconds where no server answers.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "loop/coro/future.hpp"
#include "loop/loop.hpp"

namespace loopbench::loop {

/// One thread that looks names up in the order of asking. Must be destroyed before its loop. That waits for
/// the look-up that runs, for as long as a name server may take to answer, and drops those behind it.
class resolver {
public:
    explicit resolver(event_loop& loop);

    /// Stream endpoints for a host name (or address in digits) and a port or service name. Throws
    /// std::runtime_error naming the host and the cause. Cancelling it lets the look-up end unheard.
    task<std::vector<endpoint>> resolve(std::string host, std::string service);

private:
    // Its own way back: the other thread has nobody whom it could tell that it has no memory for one.
    struct request : operation {
        event_loop::expected_post expected;
        std::string host;
        std::string service;
        promise<std::vector<endpoint>> answer;  // the loop's thread's
        std::vector<endpoint> found;
        std::exception_ptr failure;
    };

    void work(const std::stop_token& stopping);
    static void answer_or_discard(operation* op, completion how);

    event_loop& loop_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<std::unique_ptr<request>> requests_;
    std::jthread thread_;
};

}  // namespace loopbench::loop

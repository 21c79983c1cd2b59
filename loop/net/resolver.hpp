// Resolves names to addresses, off the loop's thread: getaddrinfo(3) blocks, for seconds if no server
// answers.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "loop/coro/future.hpp"
#include "loop/loop.hpp"

namespace loopbench::loop {

/// A resolver with one thread, which looks names up in the order of the requests. It must be destroyed before
/// its loop. Its destructor waits for the running look-up, as long as a name server takes to answer, and
/// drops the look-ups queued after it.
class resolver {
public:
    explicit resolver(event_loop& loop);

    /// Returns stream endpoints for a host name (or numeric address) and a port or service name. Throws
    /// std::runtime_error that names the host and the cause. If the task is cancelled, the look-up continues
    /// and its result is dropped.
    task<std::vector<endpoint>> resolve(std::string host, std::string service);

private:
    // A request is also the operation that carries the answer back: the other thread would have no way to
    // report that it has no memory for one.
    struct request : operation {
        event_loop::expected_post expected;
        std::string host;
        std::string service;
        promise<std::vector<endpoint>> answer;  // for the loop's thread only
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

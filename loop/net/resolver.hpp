#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "loop/coro/future.hpp"
#include "loop/loop.hpp"

namespace loopbench::loop {

/// A resolver with its own thread, because getaddrinfo(3) blocks, for several seconds if no name server
/// answers. The resolver must be destroyed before its loop. The destructor waits for the current look-up and
/// drops the queued look-ups.
class resolver {
public:
    explicit resolver(event_loop& loop);

    /// Returns the stream endpoints of a host and a service. `host` is a name or a numeric address; `service`
    /// is a name or a port number. Throws a std::runtime_error that names the host and the cause. If the task
    /// is cancelled, the look-up continues, and its result is dropped.
    task<std::vector<endpoint>> resolve(std::string host, std::string service);

private:
    // A look-up. It also carries the answer back to the loop's thread, and is allocated in advance, because
    // the resolver's thread could not report a lack of memory.
    struct request : operation {
        event_loop::expected_post expected;
        std::string host;
        std::string service;
        promise<std::vector<endpoint>> answer;  // used only in the loop's thread
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

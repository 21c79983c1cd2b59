// Names to addresses, off the loop's thread: getaddrinfo(3) blocks, for seconds when a server does not
// answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "loop/coro/task.hpp"
#include "loop/loop.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::loop {

/// Stream endpoints for a host name (or address in digits) and a port or service name. Blocks; any thread.
/// Throws std::runtime_error naming the host and the cause.
std::vector<endpoint> resolve_blocking(const std::string& host, const std::string& service);

/// One thread that runs jobs in order. Its destructor waits for the job that runs; those behind it are
/// dropped.
class job_thread {
public:
    job_thread();
    ~job_thread();
    void add(std::function<void()> job);

private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    bool stopping_ = false;
    std::thread thread_;
};

/// Must be destroyed before its loop. Destroying it waits for the look-up that runs: a name server that does
/// not answer holds that up for its time limit.
class resolver {
public:
    explicit resolver(event_loop& loop) : loop_(loop) {}

    /// Throws what resolve_blocking() throws. Cancelling it lets the look-up end unheard.
    task<std::vector<endpoint>> resolve(std::string host, std::string service);

private:
    event_loop& loop_;
    job_thread thread_;
};

}  // namespace loopbench::loop

// Names to addresses, off the loop's thread: getaddrinfo(3) blocks, for seconds when a server does not
// answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "loop/future.hpp"
#include "loop/net/endpoint.hpp"
#include "loop/task.hpp"

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
template <class Loop>
class resolver {
public:
    explicit resolver(Loop& loop) : loop_(loop) {}

    /// Throws what resolve_blocking() throws. Cancelling it lets the look-up end unheard.
    task<std::vector<endpoint>> resolve(std::string host, std::string service) {
        promise<std::vector<endpoint>> answer(loop_);
        const auto future = answer.get_future();
        // The promise belongs to the loop's thread: the job carries it there and back, and only moves it.
        thread_.add([&loop = loop_, pending = std::make_shared<pending_answer>(std::move(answer)),
                     host = std::move(host), service = std::move(service)]() mutable {
            try {
                pending->endpoints = resolve_blocking(host, service);
            } catch (...) {
                pending->failure = std::current_exception();
            }
            loop.post_from_any_thread([pending = std::move(pending)] { pending->deliver(); });
        });
        co_return co_await future;
    }

private:
    struct pending_answer {
        explicit pending_answer(promise<std::vector<endpoint>> to) : answer(std::move(to)) {}
        void deliver() { failure ? answer.set_exception(failure) : answer.set_value(std::move(endpoints)); }

        promise<std::vector<endpoint>> answer;
        std::vector<endpoint> endpoints;
        std::exception_ptr failure;
    };

    Loop& loop_;
    job_thread thread_;
};

}  // namespace loopbench::loop

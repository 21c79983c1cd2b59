#include "loop/net/resolver.hpp"

#include <netdb.h>

#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "loop/coro/future.hpp"

namespace loopbench::loop {

std::vector<endpoint> resolve_blocking(const std::string& host, const std::string& service) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error = ::getaddrinfo(host.c_str(), service.c_str(), &hints, &found);
    if (error != 0) {
        const char* const cause = error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error);
        throw std::runtime_error("cannot resolve '" + host + "', service '" + service + "': " + cause);
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
    std::vector<endpoint> endpoints;
    for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
        sockaddr_storage address{};
        std::memcpy(&address, entry->ai_addr, entry->ai_addrlen);
        endpoints.emplace_back(address, entry->ai_addrlen);
    }
    return endpoints;
}

job_thread::job_thread() : thread_([this] { work(); }) {}

job_thread::~job_thread() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void job_thread::add(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
}

void job_thread::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (stopping_) return;
        std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        job = nullptr;
        lock.lock();
    }
}

namespace {

struct pending_answer {
    explicit pending_answer(promise<std::vector<endpoint>> to) : answer(std::move(to)) {}
    void deliver() { failure ? answer.set_exception(failure) : answer.set_value(std::move(endpoints)); }

    promise<std::vector<endpoint>> answer;
    std::vector<endpoint> endpoints;
    std::exception_ptr failure;
};

}  // namespace

task<std::vector<endpoint>> resolver::resolve(std::string host, std::string service) {
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

}  // namespace loopbench::loop

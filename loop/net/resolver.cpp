#include "loop/net/resolver.hpp"

#include <netdb.h>

#include <cstring>
#include <memory>
#include <stdexcept>

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

}  // namespace loopbench::loop

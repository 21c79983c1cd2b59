#include "loop/net/resolver.hpp"

#include <netdb.h>

#include <cstring>

namespace loopbench::loop {

namespace {

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
    for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next)
        endpoints.emplace_back(entry->ai_addr, entry->ai_addrlen);
    return endpoints;
}

}  // namespace

resolver::resolver(event_loop& loop)
    : loop_(loop), thread_([this](const std::stop_token& stopping) { work(stopping); }) {}

task<std::vector<endpoint>> resolver::resolve(std::string host, std::string service) {
    promise<std::vector<endpoint>> answer(loop_);
    const auto future = answer.get_future();
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back({std::move(host), std::move(service), std::move(answer)});
    }
    changed_.notify_one();
    co_return co_await future;
}

void resolver::work(const std::stop_token& stopping) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stopping, [this] { return !requests_.empty(); }) &&
           !stopping.stop_requested()) {
        request asked = std::move(requests_.front());
        requests_.pop_front();
        lock.unlock();
        std::vector<endpoint> found;
        std::exception_ptr failure;
        try {
            found = resolve_blocking(asked.host, asked.service);
        } catch (...) {
            failure = std::current_exception();
        }
        loop_.post_from_any_thread([answer = std::move(asked.answer), found = std::move(found),
                                    failure = std::move(failure)]() mutable {
            failure ? answer.set_exception(failure) : answer.set_value(std::move(found));
        });
        lock.lock();
    }
}

}  // namespace loopbench::loop

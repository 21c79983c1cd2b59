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
    auto asked = std::make_unique<request>(operation{nullptr, &answer_or_discard}, loop_, std::move(host),
                                           std::move(service), std::move(answer));
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(asked));
    }
    changed_.notify_one();
    co_return co_await future;
}

void resolver::work(const std::stop_token& stopping) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stopping, [this] { return !requests_.empty(); }) &&
           !stopping.stop_requested()) {
        request& asked = *requests_.front().release();
        requests_.pop_front();
        lock.unlock();
        try {
            asked.found = resolve_blocking(asked.host, asked.service);
        } catch (...) {
            asked.failure = std::current_exception();
        }
        loop_.push_from_any_thread(asked);
        lock.lock();
    }
}

void resolver::answer_or_discard(operation* op, completion how) {
    const std::unique_ptr<request> self(static_cast<request*>(op));
    if (how == completion::discard) return;
    self->failure ? self->answer.set_exception(self->failure)
                  : self->answer.set_value(std::move(self->found));
}

}  // namespace loopbench::loop

#include "bench/generator/open_loop.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/generator/conversation.hpp"
#include "bench/workloads/same_bytes.hpp"

namespace loopbench::bench {

namespace {

using clock = std::chrono::steady_clock;

[[noreturn]] void throw_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class descriptor {
public:
    explicit descriptor(int fd) : fd_(fd) {
        if (fd < 0) throw_errno("the generator has no descriptor left");
    }
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    ~descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const noexcept { return fd_; }

private:
    int fd_;
};

/// Non-blocking from when it is connected; TCP_NODELAY, as the contenders' own connections.
descriptor connect_to(std::uint16_t port) {
    descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    peer.sin_port = htons(port);
    const int on = 1;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&peer), sizeof peer) != 0 ||
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        throw_errno("the generator cannot connect to the contender");
    return socket;
}

struct request {
    std::uint64_t number;
    clock::time_point intended;
    clock::time_point sent{};
};

struct connection {
    descriptor socket;
    std::deque<request> unanswered;  // oldest first
    std::vector<std::byte> reply;    // what has come of the oldest one's
};

/// Connections and what is under way on them.
class client {
public:
    client(const open_loop_plan& plan, const conversation& words)
        : words_(words), poll_(::epoll_create1(EPOLL_CLOEXEC)), wait_ms_(plan.http ? 100 : 0) {
        for (std::size_t i = 0; i < plan.connections; ++i) {
            all_.push_back({connect_to(plan.port), {}, {}});
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.u64 = i;
            if (::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, all_[i].socket.get(), &event) != 0)
                throw_errno("the generator cannot watch a connection");
        }
    }

    /// False when the connection takes no more: its server is far behind, so nothing is gained by waiting.
    bool send(std::size_t index, request what) {
        connection& to = all_[index];
        const auto message = words_.request(index, what.number);
        const ssize_t sent =
            ::send(to.socket.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0 && sent != static_cast<ssize_t>(message.size()))
            throw std::runtime_error("a connection took a part of a request: its buffer is full");
        if (sent <= 0) return false;
        to.unanswered.push_back(what);
        return true;
    }

    /// Takes what has come; reply(connection, request, is right) for each. False when a
    /// connection ended; the number of replies is added to `replies`.
    template <class Reply>
    bool receive(std::uint64_t& replies, Reply reply) {
        std::array<epoll_event, 64> events;
        const int ready = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), wait_ms_);
        for (int i = 0; i < ready; ++i) {
            const auto index = static_cast<std::size_t>(events[static_cast<std::size_t>(i)].data.u64);
            const ssize_t got =
                ::recv(all_[index].socket.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
            if (got <= 0) {
                if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
                return false;
            }
            replies += take(index, std::span(buffer_).first(static_cast<std::size_t>(got)), reply);
        }
        return true;
    }

private:
    template <class Reply>
    std::uint64_t take(std::size_t index, std::span<const std::byte> piece, Reply reply) {
        connection& from = all_[index];
        from.reply.insert(from.reply.end(), piece.begin(), piece.end());
        std::uint64_t whole = 0;
        std::span<const std::byte> rest = from.reply;
        while (!from.unanswered.empty()) {
            const request answered = from.unanswered.front();
            const auto expected = words_.reply(index, answered.number);
            if (rest.size() < expected.size()) break;
            from.unanswered.pop_front();
            reply(index, answered, workloads::same_bytes(rest.first(expected.size()), expected));
            rest = rest.subspan(expected.size());
            ++whole;
        }
        from.reply.erase(from.reply.begin(), from.reply.end() - static_cast<std::ptrdiff_t>(rest.size()));
        return whole;
    }

    const conversation& words_;
    descriptor poll_;
    int wait_ms_;  // see open_loop_plan::http
    std::vector<connection> all_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(65'536);
};

/// A closed loop: the next request of a connection follows its reply.
double measure_capacity(const open_loop_plan& plan, const conversation& words) {
    client all(plan, words);
    std::uint64_t number = 0;
    std::uint64_t replies = 0;
    const clock::time_point start = clock::now();
    for (std::size_t i = 0; i < plan.connections; ++i) all.send(i, {++number, start});
    const clock::time_point end = start + plan.capacity_time;
    while (clock::now() < end) {
        const bool alive = all.receive(replies, [&](std::size_t index, const request&, bool) {
            all.send(index, {++number, start});
        });
        if (!alive) break;
    }
    return static_cast<double>(replies) / std::chrono::duration<double>(clock::now() - start).count();
}

/// The requests on their schedule, and the replies.
class schedule {
public:
    schedule(const open_loop_plan& plan, const conversation& words, open_loop_result& result)
        : plan_(plan), all_(plan, words), result_(result), interval_(1e9 / result.rate) {}

    void run() {
        warm_up();
        start_ = clock::now();
        std::chrono::nanoseconds busy{0};
        clock::time_point turn = start_;
        while (received_ < plan_.requests && result_.failure.empty()) {
            const bool worked = one_turn();
            const clock::time_point now = clock::now();
            if (worked) busy += now - turn;
            turn = now;
            if (now > intended(plan_.requests) + plan_.patience)
                result_.failure = fmt::format("{} of {} replies had not come {:g} s after the last request",
                                              plan_.requests - received_, plan_.requests,
                                              std::chrono::duration<double>(plan_.patience).count());
        }
        result_.busy = std::chrono::duration<double>(busy) / std::chrono::duration<double>(turn - start_);
    }

private:
    /// A round trip on each connection, so that accepting them is in nobody's latency.
    void warm_up() {
        const clock::time_point begin = clock::now();
        for (std::size_t i = 0; i < plan_.connections; ++i) all_.send(i, {plan_.requests + i, begin});
        for (std::uint64_t replies = 0; replies < plan_.connections && result_.failure.empty();) {
            if (!all_.receive(replies, [](std::size_t, const request&, bool) {}))
                result_.failure = "the contender closed a connection";
            else if (clock::now() > begin + plan_.patience)
                result_.failure = fmt::format("the first replies had not come after {:g} s",
                                              std::chrono::duration<double>(plan_.patience).count());
        }
    }

    clock::time_point intended(std::uint64_t number) const {
        return start_ +
               std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(number) * interval_));
    }

    /// Whether there was anything to do.
    bool one_turn() {
        const std::uint64_t sent_before = result_.sent;
        const std::uint64_t received_before = received_;
        send_what_is_due();
        const bool alive = all_.receive(received_, [this](std::size_t, const request& answered, bool right) {
            const clock::time_point now = clock::now();
            result_.latency.record(std::chrono::nanoseconds(now - answered.intended).count());
            result_.latency_from_send.record(std::chrono::nanoseconds(now - answered.sent).count());
            ++(right ? result_.replies : result_.wrong_replies);
        });
        if (!alive) result_.failure = "the contender closed a connection";
        return result_.sent != sent_before || received_ != received_before;
    }

    void send_what_is_due() {
        clock::time_point now = clock::now();
        while (result_.sent < plan_.requests && intended(result_.sent) <= now) {
            const request next{result_.sent, intended(result_.sent), now};
            if (!all_.send(result_.sent % plan_.connections, next)) return;  // tried again on the next turn
            result_.send_lateness.record(std::chrono::nanoseconds(now - next.intended).count());
            ++result_.sent;
            now = clock::now();
        }
    }

    const open_loop_plan& plan_;
    client all_;
    open_loop_result& result_;
    double interval_;  // nanoseconds from one request to the next
    clock::time_point start_{};
    std::uint64_t received_ = 0;
};

bool is_of_its_own_making(const open_loop_result& result, double percentile) {
    constexpr double share = 0.1;
    const auto latency = static_cast<double>(result.latency.percentile_ns(percentile));
    return static_cast<double>(result.send_lateness.percentile_ns(percentile)) > share * latency ||
           latency > (1 + share) * static_cast<double>(result.latency_from_send.percentile_ns(percentile));
}

}  // namespace

open_loop_result run_open_loop(const open_loop_plan& plan) {
    const conversation words(plan.bytes, plan.http);
    open_loop_result result;
    if (plan.rate <= 0) result.capacity = measure_capacity(plan, words);
    result.rate = plan.rate > 0 ? plan.rate : result.capacity * plan.load;
    if (result.rate <= 0) {
        result.failure = "the contender answered nothing while its capacity was measured";
        return result;
    }
    schedule(plan, words, result).run();
    return result;
}

std::vector<std::string_view> percentiles_of_its_own_making(const open_loop_result& result) {
    constexpr std::array<std::pair<double, std::string_view>, 5> reported{{{50, "latency_p50"},
                                                                           {90, "latency_p90"},
                                                                           {99, "latency_p99"},
                                                                           {99.9, "latency_p999"},
                                                                           {100, "latency_max"}}};
    std::vector<std::string_view> found;
    for (const auto& [percentile, name] : reported)
        if (!found.empty() || is_of_its_own_making(result, percentile)) found.push_back(name);
    return found;
}

std::optional<std::string> generator_was_the_bottleneck(const open_loop_result& result) {
    constexpr double busiest = 0.75;
    for (const double percentile : {90.0, 50.0})
        if (is_of_its_own_making(result, percentile))
            return fmt::format(
                "it sent so late that latency_p{:g} is {} ns, and {} ns from when the requests were really "
                "sent, which was up to {} ns late",
                percentile, result.latency.percentile_ns(percentile),
                result.latency_from_send.percentile_ns(percentile),
                result.send_lateness.percentile_ns(percentile));
    if (result.busy > busiest)
        return fmt::format("it was busy for {:.0f} % of the time, which is over 75 %", 100 * result.busy);
    return std::nullopt;
}

}  // namespace loopbench::bench

// A second client of serve/open_loop, which shares no code with the suite's generator. It accepts the
// generator's options, and prints its results in the generator's format. Its single thread polls the clock
// and epoll without sleeping, and sends with send(2).
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;
constexpr std::size_t message_bytes = 64;
constexpr std::chrono::microseconds late_max{5}, unwatched_max{25};

struct request {
    steady::time_point due, sent;
};

struct connection {
    int fd = -1;
    std::size_t come = 0;
    std::deque<request> asked;
};

std::vector<connection> connect_all(const std::string& host, int port, int count) {
    std::vector<connection> all(static_cast<std::size_t>(count));
    for (connection& each : all) {
        sockaddr_in server{};
        server.sin_family = AF_INET;
        server.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, host.c_str(), &server.sin_addr);
        each.fd = ::socket(AF_INET, SOCK_STREAM, 0);
        const int on = 1;
        ::setsockopt(each.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (::connect(each.fd, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0)
            throw std::runtime_error(std::string("connect: ") + std::strerror(errno));
    }
    return all;
}

void ask(connection& on, steady::time_point due) {
    static const std::array<char, message_bytes> message{};
    on.asked.push_back({due, steady::now()});
    if (::send(on.fd, message.data(), message.size(), MSG_NOSIGNAL) != std::ssize(message))
        throw std::runtime_error("send accepted only a part of a message");
}

void warm_up(std::vector<connection>& all) {
    std::array<char, message_bytes> reply;
    for (connection& each : all) {
        ask(each, {});
        if (::recv(each.fd, reply.data(), reply.size(), MSG_WAITALL) != std::ssize(reply))
            throw std::runtime_error("no reply");
        each.asked.clear();
    }
}

void close_all(std::vector<connection>& all) {
    for (connection& each : all) ::close(each.fd);
}

/// Returns the latencies. A latency is the time from the moment when a request was due to the last byte of
/// its reply. Requests for which the process was too late have no latency, as `loopbench explain left_out`
/// describes.
std::vector<long long> latencies(std::vector<connection>& all, std::size_t requests, double rate) {
    const int ready = ::epoll_create1(0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        epoll_event wanted{.events = EPOLLIN, .data = {.u64 = i}};
        ::epoll_ctl(ready, EPOLL_CTL_ADD, all[i].fd, &wanted);
    }
    const auto interval =
        std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(1 / rate));
    const auto start = steady::now();
    std::vector<long long> found;
    std::size_t sent = 0, answered = 0;
    auto looked = start;
    while (answered < requests) {
        for (auto due = start + interval * static_cast<long>(sent); sent < requests && due <= steady::now();
             due += interval)
            ask(all[sent++ % all.size()], due);
        std::array<epoll_event, 64> events;
        const int count = ::epoll_wait(ready, events.data(), static_cast<int>(events.size()), 0);
        const auto since = std::exchange(looked, steady::now());
        const auto unwatched = looked - since;
        for (int i = 0; i < count; ++i) {
            connection& from = all[events[static_cast<std::size_t>(i)].data.u64];
            std::array<char, 4096> buffer;
            const ssize_t got = ::recv(from.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (got <= 0) throw std::runtime_error("the server closed the connection");
            // The generator's latency ends with a completion of io_uring, when the bytes are already in the
            // reader's buffer. Therefore this client also reads the clock only after recv().
            const auto now = steady::now();
            for (from.come += static_cast<std::size_t>(got); from.come >= message_bytes;
                 from.come -= message_bytes) {
                const auto [due, went] = from.asked.front();
                const auto latency = now - due;
                if ((went - due <= late_max || went - due <= latency / 10) &&
                    (unwatched <= unwatched_max || unwatched <= latency / 10))
                    found.push_back(std::chrono::nanoseconds(latency).count());
                from.asked.pop_front();
                ++answered;
            }
        }
    }
    ::close(ready);
    return found;
}

void print(const std::vector<long long>& all, std::size_t requests) {
    std::map<long long, int> buckets;
    double sum = 0;
    for (const long long each : all) {
        ++buckets[each];
        sum += static_cast<double>(each);
    }
    std::printf(
        "{\"schema\":\"loopbench-generator/1\",\"failure\":\"\",\"not_offered\":null,\"invalid\":null,"
        "\"io_uring_refused\":null,\"capacity\":0,\"send_late_p99\":0,\"busy\":1,\"left_out\":%zu,\"tries\":"
        "1,"
        "\"own_making\":[],\"wrong_replies\":0,\"sent\":%zu,\"replies\":%zu,\"latency_min\":%lld,"
        "\"latency_max\":%lld,\"latency_mean\":%f,\"latency\":[",
        requests - all.size(), requests, requests, buckets.begin()->first, buckets.rbegin()->first,
        sum / static_cast<double>(all.size()));
    const char* separator = "";
    for (const auto& [value, count] : buckets) {
        std::printf("%s[%lld,%lld,%d]", separator, value, value, count);
        separator = ",";
    }
    std::printf("]}\n");
}

}  // namespace

int main(int count, char** arguments) {
    std::map<std::string, std::string> told{{"host", "127.0.0.1"}, {"rate", "0"}};
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        const auto equals = word.find('=');
        if (!word.starts_with("--") || equals == std::string::npos) return 2;
        told[word.substr(2, equals - 2)] = word.substr(equals + 1);
    }
    const double rate = std::atof(told["rate"].c_str());
    if (rate <= 0) {
        std::fprintf(stderr, "this client does not measure a capacity; use a workload with a rate\n");
        return 2;
    }
    try {
        const auto visit = [&] {
            return connect_all(told["host"], std::atoi(told["port"].c_str()),
                               std::atoi(told["connections"].c_str()));
        };
        auto first = visit();  // the generator also connects once before it measures
        warm_up(first);
        close_all(first);
        auto second = visit();
        warm_up(second);
        const auto requests = static_cast<std::size_t>(std::atol(told["requests"].c_str()));
        print(latencies(second, requests, rate), requests);
        close_all(second);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "independent_client: %s\n", failure.what());
        return 1;
    }
}

// Tests that a server with hostile clients leaks no descriptors and no memory. Prints one JSON document.
//
// The server is a separate process with at most 64 descriptors, so that the kernel's numbers describe only
// the server. Each storm of clients has three steps: First, all kinds of clients act at once. Then, idle
// clients hold more connections than the server has descriptors, which starves the server. Finally, one
// client makes a round trip. After each storm, the server must have as many descriptors as before the first
// one. At the end, its memory must not have grown by more than 2 MiB. --judge-times also judges the CPU time
// of the starved server, and the time of the round trip that follows. A busy machine increases these two
// times.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/machine/environment.hpp"
#include "loop/designs.hpp"
#include "loop/io/drivers.hpp"
#include "loop/net/signals.hpp"
#include "loop/net/stream.hpp"

namespace {

using namespace loopbench;
using namespace std::chrono_literals;
using json = nlohmann::ordered_json;
using steady_clock = std::chrono::steady_clock;

constexpr rlim_t server_descriptors = 64;
constexpr std::size_t connections_while_starved = 3 * server_descriptors;
constexpr int storming_clients = 4;

constexpr double cpu_pct_max = 1;
constexpr double first_round_trip_ms_max = 50;
constexpr long memory_growth_kib_max = 2048;  // above 0: loop-uring doubles its buffers if all are used

loop::task<void> echo(loop::stream connected) {
    std::array<std::byte, 4096> buffer;
    for (;;) {
        const auto read = co_await connected.read_some(buffer);
        if (read.bytes == 0) co_return;
        const auto written = co_await connected.write_all(std::span(buffer).first(read.bytes));
        if (written.error != 0) co_return;
    }
}

loop::task<void> serve(loop::event_loop& loop, loop::listener& listening) {
    for (;;) loop.spawn(echo(co_await listening.accept()));
}

loop::task<void> stop_when_asked(loop::event_loop& loop) {
    loop::signal_receiver asked(loop, {SIGTERM});
    co_await asked.next();
    loop.stop();
}

[[noreturn]] void be_server(std::string_view design, int report_to) {
    int code = 1;
    try {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const rlimit few{.rlim_cur = server_descriptors, .rlim_max = server_descriptors};
        loop::checked(::setrlimit(RLIMIT_NOFILE, &few), "setrlimit");
        const auto owner = loop::make_loop(design);
        auto listening = owner->listen();
        owner->spawn(serve(*owner, listening));
        owner->spawn(stop_when_asked(*owner));
        const std::uint16_t port = listening.port();
        loop::checked(static_cast<int>(::write(report_to, &port, sizeof port)), "write");
        ::close(report_to);
        owner->run_forever();
        code = 0;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "soak: the server on {}: {}\n", design, failure.what());
    }
    ::_exit(code);
}

class server {
public:
    explicit server(std::string_view design) {
        int ends[2];
        loop::checked(::pipe2(ends, O_CLOEXEC), "pipe2");
        const loop::unique_fd reader(ends[0]);
        loop::unique_fd writer(ends[1]);
        process_ = loop::checked(::fork(), "fork");
        if (process_ == 0) be_server(design, writer.get());
        writer.reset();
        if (::read(reader.get(), &port_, sizeof port_) != sizeof port_)
            throw std::runtime_error("the server did not start");
    }
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server() {
        if (process_ > 0) static_cast<void>(end());
    }

    std::uint16_t port() const noexcept { return port_; }

    std::size_t descriptors() const {
        const std::filesystem::directory_iterator all(file("fd"));
        return static_cast<std::size_t>(std::distance(begin(all), std::filesystem::directory_iterator()));
    }
    long memory_kib() const {
        long pages = 0;
        long resident = 0;
        std::ifstream(file("statm")) >> pages >> resident;
        return resident * (::sysconf(_SC_PAGESIZE) / 1024);
    }
    std::chrono::nanoseconds cpu() const {
        long long ns = 0;
        std::ifstream(file("schedstat")) >> ns;
        return std::chrono::nanoseconds(ns);
    }

    bool end() {
        ::kill(process_, SIGTERM);
        int status = 0;
        ::waitpid(std::exchange(process_, -1), &status, 0);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    std::string file(const char* name) const { return fmt::format("/proc/{}/{}", process_, name); }

    pid_t process_ = -1;
    std::uint16_t port_ = 0;
};

loop::unique_fd connect_to(std::uint16_t port, std::chrono::milliseconds patience) {
    loop::unique_fd fd(loop::checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    const timeval limit{.tv_sec = patience.count() / 1000, .tv_usec = patience.count() % 1000 * 1000};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) fd.reset();
    return fd;
}

bool round_trip(const loop::unique_fd& fd) {
    constexpr std::string_view text = "is the server there?";
    std::array<char, text.size()> back{};
    return fd && ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL) == std::ssize(text) &&
           ::recv(fd.get(), back.data(), back.size(), MSG_WAITALL) == std::ssize(text) &&
           std::string_view(back.data(), back.size()) == text;
}

void reset(loop::unique_fd fd) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

enum class misbehaviour { round_trip, reset, half_close, slow_reader, many };
constexpr std::array<std::string_view, 5> misbehaviour_names{"round_trips", "resets", "half_closes",
                                                             "slow_readers", "all_descriptors_taken"};
using tally = std::array<std::atomic<std::uint64_t>, misbehaviour_names.size()>;

void misbehave(misbehaviour how, std::uint16_t port) {
    constexpr auto patience = 50ms;
    loop::unique_fd fd = connect_to(port, patience);
    if (!fd) return;
    std::vector<char> much(std::size_t{1} << 20);
    switch (how) {
        case misbehaviour::round_trip:
            round_trip(fd);
            return;
        case misbehaviour::reset:
            ::send(fd.get(), much.data(), 10'000, MSG_NOSIGNAL);
            return reset(std::move(fd));
        case misbehaviour::half_close:
            ::send(fd.get(), much.data(), 10'000, MSG_NOSIGNAL);
            ::shutdown(fd.get(), SHUT_WR);
            while (::recv(fd.get(), much.data(), much.size(), 0) > 0) continue;
            return;
        case misbehaviour::slow_reader:
            ::send(fd.get(), much.data(), much.size(), MSG_NOSIGNAL);
            ::recv(fd.get(), much.data(), 100, 0);
            return;
        case misbehaviour::many: {
            std::vector<loop::unique_fd> held;
            for (rlim_t i = 0; i < server_descriptors; ++i) held.push_back(connect_to(port, patience));
            std::this_thread::sleep_for(20ms);
            return;
        }
    }
}

void storm(std::uint16_t port, steady_clock::time_point until, unsigned seed, tally& done) {
    std::minstd_rand random(seed);
    while (steady_clock::now() < until) {
        const std::size_t how = random() % misbehaviour_names.size();
        misbehave(static_cast<misbehaviour>(how), port);
        ++done[how];
    }
}

bool has_come_back(const server& watched, std::size_t descriptors) {
    for (int i = 0; i < 3000 && watched.descriptors() != descriptors; ++i) std::this_thread::sleep_for(10ms);
    return watched.descriptors() == descriptors;
}

/// Returns the number of descriptors that the server has without clients. Connects one client, waits for the
/// server's answer, and subtracts this client's descriptor.
std::size_t descriptors_without_clients(const server& watched) {
    for (;;) {
        errno = 0;
        const auto only_client = connect_to(watched.port(), 10s);
        if (round_trip(only_client)) return watched.descriptors() - 1;
        // Signals end calls with a time limit, even if they would restart other calls (signal(7)).
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "the server does not answer");
    }
}

json soak(server& watched, std::string_view design, std::chrono::milliseconds duration, unsigned seed,
          bool judges_times) {
    const auto round = std::min<std::chrono::milliseconds>(duration, 3000ms);
    const std::size_t descriptors = descriptors_without_clients(watched);
    tally done{};
    std::vector<double> first_ms;
    std::vector<double> cpu_pct;
    std::vector<long> memory_kib;
    std::size_t descriptors_lost = 0;
    const auto end = steady_clock::now() + duration;
    do {
        {
            std::vector<std::jthread> clients;
            for (int i = 0; i < storming_clients; ++i)
                clients.emplace_back(storm, watched.port(), steady_clock::now() + round / 3, seed++,
                                     std::ref(done));
        }
        {
            std::vector<loop::unique_fd> held;
            for (std::size_t i = 0; i < connections_while_starved; ++i)
                held.push_back(connect_to(watched.port(), 1s));
            std::this_thread::sleep_for(round / 10);
            const auto cpu_before = watched.cpu();
            const auto before = steady_clock::now();
            std::this_thread::sleep_for(round / 3);
            cpu_pct.push_back(100.0 * std::chrono::duration<double>(watched.cpu() - cpu_before) /
                              std::chrono::duration<double>(steady_clock::now() - before));
        }
        const auto before = steady_clock::now();
        if (!round_trip(connect_to(watched.port(), 10s))) throw std::runtime_error("no answer after a storm");
        first_ms.push_back(std::chrono::duration<double, std::milli>(steady_clock::now() - before).count());
        if (!has_come_back(watched, descriptors)) ++descriptors_lost;
        memory_kib.push_back(watched.memory_kib());
    } while (steady_clock::now() < end);
    const std::size_t descriptors_after = watched.descriptors();
    const bool ended = watched.end();
    // The server keeps the memory of coroutine frames for later frames. Its memory can therefore grow during
    // the first tenth of the storms, and only later growth counts.
    const std::size_t settled = memory_kib.size() / 10;
    const long growth = memory_kib.back() - memory_kib[settled];
    const double cpu_max = *std::ranges::max_element(cpu_pct);
    const double first_max = *std::ranges::max_element(first_ms);
    std::ranges::sort(first_ms);
    std::ranges::sort(cpu_pct);
    json clients;
    for (std::size_t i = 0; i < misbehaviour_names.size(); ++i)
        clients[misbehaviour_names[i]] = done[i].load();
    return {
        {"loop", design},
        {"rounds", memory_kib.size()},
        {"clients", clients},
        {"descriptors_before", descriptors},
        {"descriptors_after", descriptors_after},
        {"rounds_without_all_descriptors_back", descriptors_lost},
        {"memory_kib_first", memory_kib.front()},
        {"memory_kib_settled", memory_kib[settled]},
        {"memory_kib_last", memory_kib.back()},
        {"cpu_pct_while_starved_median", cpu_pct[cpu_pct.size() / 2]},
        {"cpu_pct_while_starved_max", cpu_max},
        {"first_round_trip_ms_median", first_ms[first_ms.size() / 2]},
        {"first_round_trip_ms_max", first_max},
        {"ended_as_asked", ended},
        {"passed", ended && descriptors_lost == 0 && growth <= memory_growth_kib_max &&
                       (!judges_times || (cpu_max < cpu_pct_max && first_max <= first_round_trip_ms_max))}};
}

}  // namespace

int main(int count, char** arguments) {
    double seconds = 1800;
    unsigned seed = 1;
    bool judges_times = false;
    std::vector<std::string> designs{"loop-epoll", "loop-uring"};
    CLI::App command(
        "Runs a server on each design under clients that misbehave, and reports memory and descriptors that "
        "remain.");
    command.add_option("--seconds", seconds, "Total time, for all designs")
        ->check(CLI::Range(0.1, 1e6))
        ->capture_default_str();
    command.add_option("--design", designs)->capture_default_str();
    command.add_option("--seed", seed)->capture_default_str();
    command.add_flag(
        "--judge-times", judges_times,
        fmt::format(
            "Fail if the server takes {} % of a core while starved, or the first round trip takes more "
            "than {} ms",
            cpu_pct_max, first_round_trip_ms_max));
    CLI11_PARSE(command, count, arguments);
    try {
        const auto where = bench::read_environment();
        json document{{"date", where.date},
                      {"cpu_model", where.cpu_model},
                      {"cores", where.cores},
                      {"kernel", where.kernel},
                      {"seconds", seconds},
                      {"seed", seed},
                      {"server_descriptors", server_descriptors},
                      {"loops", json::array()}};
        const auto each = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::duration<double>(seconds / static_cast<double>(designs.size())));
        // All servers are forked before the first storm. A server that is forked later would inherit the
        // memory that this process used for the storm.
        std::vector<std::pair<std::string, std::unique_ptr<server>>> servers;
        for (const std::string& design : designs) {
            const auto refusal = design == "loop-uring" ? loop::io_uring_refusal() : "";
            if (refusal.empty())
                servers.emplace_back(design, std::make_unique<server>(design));
            else
                document["loops"].push_back({{"loop", design}, {"unsupported", refusal}});
        }
        bool passed = true;
        for (const auto& [design, watched] : servers) {
            const json result = soak(*watched, design, each, seed, judges_times);
            passed = passed && result.at("passed");
            document["loops"].push_back(result);
        }
        fmt::print("{}\n", document.dump(4));
        return passed ? 0 : 1;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "soak: {}\n", failure.what());
        return 1;
    }
}

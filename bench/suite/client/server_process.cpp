#include "bench/suite/client/server_process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "bench/suite/client/measured_command.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench {

namespace {

using namespace std::chrono_literals;
constexpr auto listens_within = 10s;

bool is_in_use(std::uint16_t port) {
    const auto there = loop::endpoint::loopback(port);
    const loop::unique_fd asks(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* const address = reinterpret_cast<const sockaddr*>(&there.address());
    return asks && ::connect(asks.get(), address, there.bytes()) == 0;
}

[[noreturn]] void become(std::vector<char*>& words, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // the parent ended before prctl() had an effect
    ::dup2(STDERR_FILENO, STDOUT_FILENO);     // stdout is reserved for the results of loopbench-client
    ::closefrom(STDERR_FILENO + 1);
    ::execv(words.front(), words.data());
    fmt::print(stderr, "cannot start {}: {}\n", words.front(), std::strerror(errno));
    ::_exit(127);
}

pid_t start(std::vector<std::string>& command) {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) become(words, parent);
    if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot start " + command.front());
    return child;
}

}  // namespace

std::uint16_t free_port() {
    // The port must be below the range from which the kernel assigns ports (net.ipv4.ip_local_port_range,
    // ip(7)). The kernel could assign a port in this range to another process before the server binds it. A
    // client that connects to such a port before the server listens could even connect to itself.
    unsigned own_from = 32768, tries = 100;
    std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> own_from;
    constexpr unsigned lowest = 10'000;
    std::random_device any;
    while (own_from > lowest && tries-- > 0) {
        const auto port =
            static_cast<std::uint16_t>(std::uniform_int_distribution(lowest, own_from - 1)(any));
        try {
            loop::open_listener(loop::endpoint::loopback(port));
            return port;
        } catch (const std::system_error&) {
        }
    }
    const auto held = loop::open_listener(loop::endpoint::loopback(0));
    return loop::local_endpoint(held.get()).port();
}

server_process::server_process(std::vector<std::string> command, std::uint16_t port) : id_(-1) {
    if (is_in_use(port))
        throw std::runtime_error(
            fmt::format("port {} is already in use; end the program that listens there, or choose another "
                        "port with --port",
                        port));
    id_ = start(command);
    const auto deadline = std::chrono::steady_clock::now() + listens_within;
    while (!is_in_use(port)) {
        if (const auto ended = end(); !ended.empty())
            throw std::runtime_error(
                fmt::format("the server {} {} before it listened on port {}", command.front(), ended, port));
        if (std::chrono::steady_clock::now() >= deadline) {
            kill();
            throw std::runtime_error(fmt::format(
                "the server {} does not listen on 127.0.0.1, port {}; write {{port}} in "
                "its arguments if it can listen on any free port, or use --port PORT if it always "
                "listens on PORT",
                command.front(), port));
        }
        std::this_thread::sleep_for(1ms);
    }
}

void server_process::kill() noexcept {
    if (is_over_) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    is_over_ = true;
}

std::string server_process::end(std::chrono::milliseconds within) {
    if (is_over_) return {};
    const auto deadline = std::chrono::steady_clock::now() + within;
    int status = 0;
    while (::waitpid(id_, &status, WNOHANG) != id_) {
        if (std::chrono::steady_clock::now() >= deadline) return {};
        std::this_thread::sleep_for(1ms);
    }
    is_over_ = true;
    return text_of_end(status);
}

}  // namespace loopbench::bench

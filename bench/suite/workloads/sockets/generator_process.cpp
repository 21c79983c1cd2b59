#include "bench/suite/workloads/sockets/generator_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace loopbench::bench::workloads::detail {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

std::optional<fs::path> find_generator() {
    constexpr std::string_view name = "loopbench-generator";
    const char* const configured = std::getenv("LOOPBENCH_GENERATOR");
    std::error_code without_proc;
    const fs::path here = fs::read_symlink("/proc/self/exe", without_proc).parent_path();
    for (const fs::path& file :
         {fs::path(configured != nullptr ? configured : ""), here.parent_path() / name, here / name})
        if (!file.empty() && ::access(file.c_str(), X_OK) == 0) return file;
    return std::nullopt;
}

int spawn(const fs::path& program, std::vector<std::string> words, int output) {
    words.insert(words.begin(), program.native());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    // The generator must not inherit descriptors. Some libraries do not set close-on-exec for their sockets,
    // and an inherited listener would stay open.
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    pid_t process = -1;
    const int error = ::posix_spawn(&process, program.c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        throw std::system_error(error, std::generic_category(), "cannot start " + program.native());
    return process;
}

std::string read_all(int fd) {
    std::string text;
    std::array<char, 4096> buffer;
    for (;;) {
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

/// Returns the arguments for /bin/sh that run the generator on another machine. The generator must have the
/// same path on that machine.
std::vector<std::string> through(const std::string& command, const fs::path& program,
                                 std::vector<std::string> words) {
    words.insert(words.begin(), {"-c", "exec " + command + " \"$@\"", "sh", fs::absolute(program).native()});
    return words;
}

std::string how_much(const offered_load& offered) {
    return offered.per_second > 0 ? fmt::format("--rate={}", offered.per_second)
                                  : fmt::format("--load={}", offered.percent_of_capacity / 100.0);
}

/// Returns a remark if the generator uses epoll. The generator then needs more CPU time for each request,
/// which can be the cause of a failure.
std::string remark(const json& result) {
    const auto& refused = result.at("io_uring_refused");
    return refused.is_string() ? "; the generator uses epoll here: " + refused.get<std::string>() : "";
}

std::string end_of(int status) {
    if (!WIFSIGNALED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
    const char* const name = ::sigabbrev_np(WTERMSIG(status));
    return name != nullptr ? fmt::format("was killed by SIG{}", name)
                           : fmt::format("was killed by signal {}", WTERMSIG(status));
}

struct closed_at_end {
    int fd;
    ~closed_at_end() { ::close(fd); }
};

int listen_at(const std::string& address) {
    addrinfo wanted{};
    wanted.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(address.c_str(), "0", &wanted, &found) != 0)
        throw std::system_error(EINVAL, std::generic_category(),
                                fmt::format("'{}' is not a numeric IP address", address));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> here(found, &::freeaddrinfo);
    const int fd = ::socket(here->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ::bind(fd, here->ai_addr, here->ai_addrlen) != 0 || ::listen(fd, SOMAXCONN) != 0) {
        const std::system_error error(errno, std::generic_category(), "cannot listen on " + address);
        ::close(fd);
        throw error;
    }
    return fd;
}

std::uint16_t port_of(int fd) {
    sockaddr_in6 bound{};
    socklen_t bytes = sizeof bound;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &bytes);
    return ntohs(bound.sin6_port);
}

}  // namespace

std::optional<remote_client> configured_remote_client() {
    const char* const address = std::getenv("LOOPBENCH_SERVE_ON");
    const char* const command = std::getenv("LOOPBENCH_GENERATOR_ON");
    if (address == nullptr || command == nullptr) return std::nullopt;
    return remote_client{address, command};
}

discarder::discarder(const std::string& address)
    : listening_(listen_at(address)), port_(port_of(listening_)), thread_([this] { serve(); }) {}

discarder::~discarder() {
    ::shutdown(listening_, SHUT_RDWR);  // ends accept() in the thread
    thread_.join();
    ::close(listening_);
}

void discarder::serve() const {
    std::vector<char> buffer(1U << 18U);
    for (;;) {
        const int from = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (from < 0) return;
        while (::read(from, buffer.data(), buffer.size()) > 0) continue;
        ::close(from);
    }
}

bool generator_process::start(const generator_plan& plan, trial& t, std::function<void()> ended) {
    const auto program = find_generator();
    if (!program) {
        t.unsupported(
            "loopbench-generator, the client of this workload, is neither in the contender's folder nor in "
            "its parent folder; put a link to loopbench-generator into one of these folders, or set "
            "LOOPBENCH_GENERATOR to its path");
        return false;
    }
    const auto cores = two_cores();
    if (!cores && !plan.remote) {
        t.unsupported(
            "the client of this workload needs a core that the contender does not use, but this process can "
            "use only one core");
        return false;
    }
    if (cores) here_.emplace(cores->first);
    if (cores && t.cores().threads.empty()) t.runs_on({cores->first});
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe2 failed");
    output_ = ends[0];
    const closed_at_end input{ends[1]};  // closed in this process, so that the output ends with the generator
    std::vector<std::string> words{fmt::format("--port={}", plan.port),
                                   fmt::format("--connections={}", plan.connections),
                                   fmt::format("--requests={}", plan.requests), how_much(plan.offered),
                                   fmt::format("--capacity-seconds={}", plan.capacity_s)};
    if (plan.remote) {
        path_end_.emplace(plan.remote->address);
        command_ = plan.remote->command + " " + fs::absolute(*program).native();
        words.push_back("--host=" + plan.remote->address);
        words.push_back(fmt::format("--path-port={}", path_end_->port()));
        process_ = spawn("/bin/sh", through(plan.remote->command, *program, std::move(words)), input.fd);
    } else {
        const int core = plan.core.value_or(cores->second);
        t.generator_runs_on(core);
        words.push_back(fmt::format("--cpu={}", core));
        process_ = spawn(*program, std::move(words), input.fd);
    }
    reader_ = std::thread([this, ended = std::move(ended)] {
        text_ = read_all(output_);
        if (!given_up_) ended();
    });
    return true;
}

generator_process::~generator_process() {
    given_up_ = true;
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    if (reader_.joinable()) reader_.join();
    if (output_ >= 0) ::close(output_);
}

void generator_process::prove(trial& t, std::uint64_t requests) {
    reader_.join();
    const json result = json::parse(text_, nullptr, false);
    if (!result.is_object()) {
        int status = 0;
        ::waitpid(std::exchange(process_, -1), &status, 0);
        return t.fail(
            fmt::format("the generator {} before it printed a result{}", end_of(status),
                        command_.empty() ? "" : "; the command that started the generator: " + command_));
    }
    if (const auto failure = result.value("failure", ""); !failure.empty())
        return t.fail("the generator failed: " + failure);
    if (const auto& why = result.at("not_offered"); why.is_string())
        return t.unsupported("the contender was not measured at this load: " + why.get<std::string>() +
                             remark(result));
    for (const auto& bucket : result.at("latency")) {
        const auto lowest = bucket.at(0).get<std::int64_t>();
        const auto highest = bucket.at(1).get<std::int64_t>();
        t.latency().record_many(lowest + (highest - lowest) / 2, bucket.at(2).get<std::uint64_t>());
    }
    t.latency().set_exact(result.at("latency_min").get<std::int64_t>(),
                          result.at("latency_max").get<std::int64_t>(),
                          result.at("latency_mean").get<double>());
    if (const auto capacity = result.at("capacity").get<double>(); capacity > 0)
        t.report("capacity", capacity);
    if (const auto path = result.find("path"); path != result.end() && path->is_object())
        for (const auto& [name, value] : path->items()) t.report("path_" + name, value.get<double>());
    t.report("send_late_p99", result.at("send_late_p99").get<double>());
    t.report("generator_busy", result.at("busy").get<double>());
    if (const auto sent = result.at("sent").get<double>(); sent > 0)
        t.report("left_out", result.at("left_out").get<double>() / sent);
    for (const auto& percentile : result.at("own_making"))
        t.report(percentile.get<std::string>(), std::numeric_limits<double>::quiet_NaN());
    t.did(requests * result.at("tries").get<std::uint64_t>());
    t.prove("number of requests sent", requests, result.at("sent").get<std::uint64_t>());
    t.prove("number of replies that differ from the bytes sent", 0,
            result.at("wrong_replies").get<std::uint64_t>());
    t.prove("number of right replies", requests, result.at("replies").get<std::uint64_t>());
    if (t.failure()) return;  // a failure of the contender must not become `unsupported`
    if (const auto& why = result.at("invalid"); why.is_string())
        t.unsupported("invalid: " + why.get<std::string>() + remark(result));
}

}  // namespace loopbench::bench::workloads::detail

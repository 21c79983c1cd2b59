// Starts children with vfork, for two reasons: posix_spawn cannot make the child die with its parent, and
// fork would copy the page tables of this process, whose memory can contain the trials of a whole day.
#include "bench/harness/trial/process/running_child.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "bench/harness/machine/kernel_files.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

namespace {

using reports::uninterrupted;
using reports::unique_fd;

struct pipe_ends {
    unique_fd read, write;
};

pipe_ends make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("cannot create a pipe for a contender");
    return {unique_fd{ends[0]}, unique_fd{ends[1]}};
}

/// Returns a pointer to each text, and a null pointer at the end. Must be called before vfork, because the
/// child must not allocate memory.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// The variables that only the harness sets. A child does not inherit their values from the user's shell,
/// because such values would bias trials.
constexpr std::array<std::string_view, 15> ours_alone{
    "LOOPBENCH_ASIO",           "LOOPBENCH_ASIO_CONTEXTS", "LOOPBENCH_CONTENDER",  "LOOPBENCH_DESCRIBE",
    "LOOPBENCH_GENERATOR_ON",   "LOOPBENCH_MALLOC_FILE",   "LOOPBENCH_OPERATIONS", "LOOPBENCH_PADDING",
    "LOOPBENCH_RECORD",         "LOOPBENCH_SERVER",        "LOOPBENCH_SERVE_ON",   "LOOPBENCH_SIZE",
    "LOOPBENCH_HISTOGRAM_FILE", "LOOPBENCH_SLICES",        "LOOPBENCH_SLOWDOWN"};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& additions) {
    std::vector<std::string> all;
    for (const auto& [name, value] : additions) all.push_back(name + "=" + value);
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const auto name = text.substr(0, text.find('='));
        const auto is_that = [&](const auto& addition) { return addition.first == name; };
        if (std::ranges::none_of(additions, is_that) &&
            std::ranges::find(ours_alone, name) == ours_alone.end())
            all.emplace_back(text);
    }
    return all;
}

struct child_setup {
    const char* path;
    char* const* command;
    char* const* environment;
    const char* folder;  // nullptr: that of the parent
    int input, output, error, start_error;
    pid_t parent;
    const cpu_set_t* cpus;  // nullptr: all CPUs
    std::span<const int> inherited;
};

/// Executes the contender's program in the new child after vfork. Makes only system calls, because the child
/// shares its parent's memory. Signals are blocked until their handlers are removed, because a handler would
/// write to the parent's memory.
[[noreturn]] void become_contender(const child_setup& setup) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != setup.parent) ::_exit(127);  // the parent died before the call of prctl
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction of_parent {};
        if (::sigaction(number, nullptr, &of_parent) == 0 && of_parent.sa_handler != SIG_IGN &&
            of_parent.sa_handler != SIG_DFL)
            ::signal(number, SIG_DFL);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const bool placed = setup.cpus == nullptr || ::sched_setaffinity(0, sizeof *setup.cpus, setup.cpus) == 0;
    for (const int ignored_by_us : {SIGXFSZ, SIGPIPE}) ::signal(ignored_by_us, SIG_DFL);
    for (const int fd : setup.inherited) ::fcntl(fd, F_SETFD, 0);
    const bool is_there = setup.folder == nullptr || ::chdir(setup.folder) == 0;
    if (placed && is_there && ::dup2(setup.input, STDIN_FILENO) >= 0 &&
        ::dup2(setup.output, STDOUT_FILENO) >= 0 && ::dup2(setup.error, STDERR_FILENO) >= 0)
        ::execve(setup.path, setup.command, setup.environment);
    const int cause = errno;
    [[maybe_unused]] const auto told = ::write(setup.start_error, &cause, sizeof cause);
    ::_exit(127);
}

resource_usage usage_of(const rusage& usage) {
    const auto ns = [](const timeval& time) {
        return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1'000;
    };
    return {ns(usage.ru_utime),
            ns(usage.ru_stime),
            std::int64_t{usage.ru_maxrss} * 1024,
            usage.ru_nvcsw,
            usage.ru_nivcsw,
            0,
            0};
}

}  // namespace

void throw_errno(const char* action) {
    const int error = errno;
    const auto* const remedy = error == EMFILE ? " (raise the limit on open files with `ulimit -n`)" : "";
    throw std::system_error{error, std::generic_category(), std::string{action} + remedy};
}

running_child::running_child(const child_request& request) : request_{request}, started_{clock::now()} {
    start();
}

running_child::~running_child() {
    if (pid_ > 0) reap();
}

void running_child::start() {
    auto output = make_pipe(), error = make_pipe(), start_error = make_pipe();
    const unique_fd input{uninterrupted([] { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); })};
    if (!input) throw_errno("cannot open /dev/null");
    auto command = request_.command;
    auto environment = environment_with(request_.environment);
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (request_.cpu) CPU_SET(static_cast<std::size_t>(*request_.cpu), &cpus);
    const auto command_pointers = pointers_to(command), environment_pointers = pointers_to(environment);
    const child_setup setup{request_.command[0].c_str(),
                            command_pointers.data(),
                            environment_pointers.data(),
                            request_.folder.empty() ? nullptr : request_.folder.c_str(),
                            input.get(),
                            output.write.get(),
                            error.write.get(),
                            start_error.write.get(),
                            ::getpid(),
                            request_.cpu ? &cpus : nullptr,
                            request_.inherited};
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_ = ::vfork();
    if (pid_ == 0) become_contender(setup);
    const int refused = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = refused;
    if (pid_ < 0) throw_errno("cannot start a process for a contender");
    ::setpgid(pid_, pid_);
    for (auto* ours : {&output.write, &error.write, &start_error.write}) ours->reset();

    int cause = 0;
    const auto got = uninterrupted([&] { return ::read(start_error.read.get(), &cause, sizeof cause); });
    // The code calls syscall(), because glibc 2.36 declares the wrapper function without C linkage.
    process_ = unique_fd{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))};
    if (got == sizeof cause || !process_) {
        outcome_.code = got == sizeof cause ? cause : errno;
        return end_because(child_end::not_started);
    }
    output_ = std::move(output.read);
    error_ = std::move(error.read);
}

std::array<pollfd, 3> running_child::watched() const noexcept {
    return {
        {{output_.get(), POLLIN, 0}, {error_.get(), POLLIN, 0}, {over_ ? -1 : process_.get(), POLLIN, 0}}};
}

bool running_child::go_on(std::span<const pollfd, 3> found) {
    if (found[0].revents != 0) read_output();
    if (found[1].revents != 0) read_error();
    if (outcome_.output.size() > request_.output_bytes_max) end_because(child_end::flooded);
    over_ = over_ || found[2].revents != 0;
    return !over_;
}

void running_child::end_because(child_end why) noexcept {
    if (!killed_because_) killed_because_ = why;
    over_ = true;
}

/// Kills the group, reads the output, and only then reaps the child. Until the child is reaped, no other
/// process can get its process ID or group ID.
child_outcome running_child::finish() {
    ::kill(-pid_, SIGKILL);
    siginfo_t ended{};
    uninterrupted([&] { return ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT); });
    drain();
    const auto main_thread = main_thread_times_of(pid_);
    const auto children_ns = most_children_ns_of(pid_);
    outcome_.group = pid_;
    const auto [taken, status, usage] = reap();
    if (!taken) throw_errno("cannot read the exit status of a contender");
    outcome_.usage = usage_of(usage);
    outcome_.usage.run_delay_ns = main_thread.run_delay_ns;
    if (main_thread.ran_ns)
        outcome_.usage.other_threads_ns = std::max<std::int64_t>(
            outcome_.usage.user_ns + outcome_.usage.system_ns - children_ns - *main_thread.ran_ns, 0);
    if (killed_because_) {
        outcome_.end = *killed_because_;
    } else if (WIFSIGNALED(status)) {
        outcome_.end = child_end::signalled;
        outcome_.code = WTERMSIG(status);
    } else {
        outcome_.end = child_end::exited;
        outcome_.code = WEXITSTATUS(status);
    }
    outcome_.wall = clock::now() - started_;
    return std::move(outcome_);
}

running_child::child_status running_child::reap() noexcept {
    child_status ended;
    ::kill(-pid_, SIGKILL);
    ended.taken = uninterrupted([&] { return ::wait4(pid_, &ended.status, 0, &ended.usage); }) > 0;
    pid_ = -1;
    return ended;
}

/// Reads the remaining output. The number of reads is limited, because a descendant outside the group can
/// write for ever.
void running_child::drain() {
    constexpr int reads_max = 256;
    for (int i = 0; i < reads_max; ++i) {
        std::array<pollfd, 2> pipes{{{output_.get(), POLLIN, 0}, {error_.get(), POLLIN, 0}}};
        if (uninterrupted([&] { return ::poll(pipes.data(), pipes.size(), 0); }) <= 0) return;
        if (pipes[0].revents != 0) read_output();
        if (pipes[1].revents != 0) read_error();
    }
}

void running_child::read_error() {
    append_from(error_, outcome_.error_tail);
    if (auto& tail = outcome_.error_tail; tail.size() > request_.error_tail_bytes)
        tail.erase(0, tail.size() - request_.error_tail_bytes);
}

void running_child::append_from(unique_fd& pipe, std::string& text) {
    std::array<char, 16384> chunk;
    const auto count = uninterrupted([&] { return ::read(pipe.get(), chunk.data(), chunk.size()); });
    if (count > 0)
        text.append(chunk.data(), static_cast<std::size_t>(count));
    else
        pipe.reset();  // poll() ignores descriptor -1
}

}  // namespace loopbench::bench

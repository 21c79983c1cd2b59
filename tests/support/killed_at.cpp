#include "tests/support/killed_at.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "reports/base/posix_io.hpp"

namespace loopbench::tests {

namespace {

constexpr int refused = 126;

[[noreturn]] void become(const std::vector<char*>& command) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(refused);
    ::execv(command.front(), command.data());
    ::_exit(refused);
}

int wait_for(pid_t pid) {
    int status = 0;
    if (reports::uninterrupted([&] { return ::waitpid(pid, &status, __WALL); }) < 0)
        throw std::system_error{errno, std::generic_category(), "waitpid"};
    return status;
}

void* as_pointer(long value) {
    return reinterpret_cast<void*>(value);
}

/// Continues the process until its next stop. `status` is the wait status of the current stop.
void go_on(pid_t pid, int status) {
    const int signal = WSTOPSIG(status);
    const bool is_ours = signal == (SIGTRAP | 0x80) || signal == SIGTRAP;
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, as_pointer(is_ours ? 0 : signal));
}

/// Returns false for the frequent calls that change no file, at the entry of a call.
bool can_change_files(pid_t pid) {
    __ptrace_syscall_info call{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, as_pointer(static_cast<long>(sizeof call)), &call) <= 0)
        return true;
    switch (call.entry.nr) {
        case SYS_openat:
            return (call.entry.args[2] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
#ifdef SYS_access  // older calls that some processors do not have
        case SYS_access:
        case SYS_poll:
        case SYS_readlink:
#endif
        case SYS_brk:
        case SYS_close:
        case SYS_fcntl:
        case SYS_fstat:
        case SYS_futex:
        case SYS_getcwd:
        case SYS_getdents64:
        case SYS_getpid:
        case SYS_getppid:
        case SYS_getrandom:
        case SYS_lseek:
        case SYS_madvise:
        case SYS_mmap:
        case SYS_mprotect:
        case SYS_munmap:
        case SYS_newfstatat:
        case SYS_pread64:
        case SYS_prlimit64:
        case SYS_read:
        case SYS_readlinkat:
        case SYS_rt_sigaction:
        case SYS_rt_sigprocmask:
        case SYS_sched_getaffinity:
            return false;
        default:
            return true;
    }
}

}  // namespace

std::optional<traced_end> run_until_call(std::vector<std::string> command, std::uint64_t fatal_call,
                                         counted_calls counted) {
    std::vector<char*> pointers;
    for (auto& word : command) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // The leak check is switched off for the command, because it cannot run in a traced process.
    const char* options = std::getenv("ASAN_OPTIONS");
    const std::string old_options = options != nullptr ? options : "";
    ::setenv("ASAN_OPTIONS", (old_options + ":detect_leaks=0").c_str(), 1);
    const auto pid = ::fork();
    if (pid < 0) throw std::system_error{errno, std::generic_category(), "fork"};
    if (pid == 0) become(pointers);
    ::setenv("ASAN_OPTIONS", old_options.c_str(), 1);

    int status = wait_for(pid);
    if (!WIFSTOPPED(status)) return std::nullopt;
    ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, as_pointer(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    traced_end end;
    bool enters = true;
    for (; WIFSTOPPED(status); status = wait_for(pid)) {
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            if (enters && (counted == counted_calls::all || can_change_files(pid)) &&
                ++end.calls == fatal_call)
                ::kill(pid, SIGKILL);
            enters = !enters;
        }
        go_on(pid, status);
    }
    if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
    return end;
}

}  // namespace loopbench::tests

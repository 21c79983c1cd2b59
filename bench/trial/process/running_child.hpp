// One contender's process while it runs: what run_together() and turns.hpp wait for.
#pragma once

#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "bench/trial/process/child_process.hpp"
#include "reports/files/posix_io.hpp"

namespace loopbench::bench {

/// Throws std::system_error for errno.
[[noreturn]] void throw_errno(const char* action);

/// Main thread only; see run_child(). `request` must outlive it.
class running_child {
public:
    using clock = std::chrono::steady_clock;

    /// Starts it; throws std::system_error when pipes or processes run out.
    explicit running_child(const child_request& request);
    running_child(const running_child&) = delete;
    running_child& operator=(const running_child&) = delete;
    ~running_child();

    /// What to wait for with poll(2).
    std::array<pollfd, 3> watched() const noexcept;
    /// Takes what it has written. False when there is nothing more to wait for: it has ended, or printed too
    /// much.
    bool go_on(std::span<const pollfd, 3> found);
    bool is_over() const noexcept { return over_; }
    /// It is to be ended, and this is why.
    void end_because(child_end why) noexcept;

    /// Ends whatever is left of the group, and takes the child's last words and its usage. Once.
    child_outcome finish();

private:
    struct child_status {
        bool taken = false;  // not where SIGCHLD is ignored: the kernel reaps then
        int status = 0;
        rusage usage{};
    };

    void start();
    void read_output() { append_from(output_, outcome_.output); }
    void read_error();
    void drain();
    child_status reap() noexcept;
    static void append_from(reports::unique_fd& pipe, std::string& text);

    const child_request& request_;
    const clock::time_point started_;
    reports::unique_fd output_, error_, process_;
    pid_t pid_ = -1;
    bool over_ = false;
    child_outcome outcome_;
    std::optional<child_end> killed_because_;
};

}  // namespace loopbench::bench

#pragma once

#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "bench/harness/trial/process/child_process.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

[[noreturn]] void throw_errno(const char* action);

/// A running child process and its output. Use it only in the main thread; see run_child(). `request` must
/// outlive the object.
class running_child {
public:
    using clock = std::chrono::steady_clock;

    /// Throws std::system_error if pipes or processes cannot be created.
    explicit running_child(const child_request& request);
    running_child(const running_child&) = delete;
    running_child& operator=(const running_child&) = delete;
    ~running_child();

    std::array<pollfd, 3> watched() const noexcept;
    /// Reads the available output. `found` contains the descriptors of watched() after poll(2). Returns false
    /// if the child has ended or has printed too much.
    bool go_on(std::span<const pollfd, 3> found);
    bool is_over() const noexcept { return over_; }
    void end_because(child_end why) noexcept;

    /// Kills the rest of the process group and returns the outcome. Must be called only once.
    child_outcome finish();

private:
    struct child_status {
        bool taken = false;  // false if the kernel reaped the child because SIGCHLD is ignored
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

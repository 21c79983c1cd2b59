#include "bench/trial/process/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "bench/trial/process/running_child.hpp"
#include "reports/files/posix_io.hpp"

namespace loopbench::bench {

namespace {

using clock = running_child::clock;

/// At most the longest wait: poll takes an int. run_child() looks at the clock again after it.
int milliseconds_until(clock::time_point deadline, std::chrono::milliseconds longest) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, longest.count()));
}

}  // namespace

child_outcome run_child(const child_request& request) {
    running_child child{request};
    const auto deadline = child.started() + request.limit;
    while (!child.is_over()) {
        const auto [output, error, process] = child.watched();
        std::array<pollfd, 4> watched{output, error, process, {request.stop_fd, POLLIN, 0}};
        const auto wait = milliseconds_until(deadline, request.longest_wait);
        const int ready =
            reports::uninterrupted([&] { return ::poll(watched.data(), watched.size(), wait); });
        if (ready < 0) throw std::system_error{errno, std::generic_category(), "cannot wait for a contender"};
        if (watched[3].revents != 0)
            child.end_because(child_end::stopped);
        else if (child.go_on(std::span{watched}.first<3>()) && clock::now() >= deadline)
            child.end_because(child_end::timed_out);
    }
    return child.finish();
}

}  // namespace loopbench::bench

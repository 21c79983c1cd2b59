#include "bench/trial/left_behind.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/machine/kernel_files.hpp"
#include "reports/posix_io.hpp"

namespace loopbench::bench {

void adopt_orphans() noexcept {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::optional<std::string> end_what_is_left(int group, const std::filesystem::path& scratch) {
    constexpr int rounds_max = 100;  // what it started becomes ours when it ends
    std::optional<std::string> first;
    bool any = true;
    for (int round = 0; any && round < rounds_max; ++round) {
        any = false;
        for (const auto& [pid, name, environment] : children_of_this_thread()) {
            const bool of_group = ::getpgid(pid) == group;
            if (!of_group && environment.find(scratch.native()) == std::string::npos) continue;
            if (!of_group && !first) first = name;
            ::kill(pid, SIGKILL);
            reports::uninterrupted([&, child = pid] { return ::waitpid(child, nullptr, 0); });
            any = true;
        }
    }
    return first;
}

}  // namespace loopbench::bench

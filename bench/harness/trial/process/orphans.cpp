#include "bench/harness/trial/process/orphans.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

namespace {

template <class Is>
std::optional<std::string> end_children(Is is_left) {
    // One round is not enough, because the children of an ended child can become children of this process.
    constexpr int rounds_max = 100;
    std::optional<std::string> first;
    bool any = true;
    for (int round = 0; any && round < rounds_max; ++round) {
        any = false;
        for (const auto& child : children_of_this_thread()) {
            if (!is_left(child)) continue;
            any = true;
            if (::waitpid(child.pid, nullptr, WNOHANG) != 0) continue;
            if (!first) first = child.name;
            // kill() fails for a child of another user. Waiting until such a child ends could take a long
            // time, so it is skipped.
            if (::kill(child.pid, SIGKILL) != 0) continue;
            reports::uninterrupted([&] { return ::waitpid(child.pid, nullptr, 0); });
        }
    }
    return first;
}

}  // namespace

void adopt_orphans() noexcept {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::optional<std::string> end_orphans(int group, const std::filesystem::path& folder) {
    end_children([&](const child_facts& child) { return ::getpgid(child.pid) == group; });
    return end_children([&](const child_facts& child) {
        return child.environment.find(folder.native()) != std::string::npos;
    });
}

earlier_children::earlier_children() : now_ticks_{ticks_since_boot()} {
    for (const auto& child : children_of_this_thread()) young_.push_back(child.pid);
}

bool earlier_children::has(const child_facts& child) const {
    return child.started_ticks < now_ticks_ || std::ranges::find(young_, child.pid) != young_.end();
}

std::optional<std::string> earlier_children::end_others() const {
    return end_children([this](const child_facts& child) { return !has(child); });
}

child_outcome ask(const child_request& question) {
    const earlier_children earlier;
    auto answer = run_child(question);
    earlier.end_others();
    return answer;
}

}  // namespace loopbench::bench

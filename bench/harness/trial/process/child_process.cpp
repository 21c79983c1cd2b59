#include "bench/harness/trial/process/child_process.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "bench/harness/trial/process/running_child.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

std::vector<child_outcome> run_together(std::span<const child_request> requests,
                                        std::chrono::nanoseconds limit, int stop_fd,
                                        const std::function<void(std::size_t, const child_outcome&)>& ended) {
    using clock = running_child::clock;
    const auto deadline = clock::now() + limit;
    std::deque<running_child> all;
    std::chrono::milliseconds longest_wait = child_request{}.longest_wait;  // must fit into an int, for poll
    for (const child_request& each : requests) {
        all.emplace_back(each);
        longest_wait = std::min(longest_wait, each.longest_wait);
    }
    std::vector<child_outcome> outcomes(requests.size());
    std::size_t running = all.size();
    std::vector<bool> finished(all.size());
    const auto finish_what_is_over = [&] {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].is_over() && !finished[i]) {
                outcomes[i] = all[i].finish();
                if (ended) ended(i, outcomes[i]);
                finished[i] = true;
                --running;
            }
    };
    finish_what_is_over();
    while (running > 0) {
        std::vector<pollfd> watched{{stop_fd, POLLIN, 0}};
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto three = all[i].watched();
            if (finished[i])
                for (pollfd& each : three) each.fd = -1;
            watched.insert(watched.end(), three.begin(), three.end());
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now());
        const auto wait =
            static_cast<int>(std::clamp(left, std::chrono::milliseconds{0}, longest_wait).count());
        if (reports::uninterrupted([&] { return ::poll(watched.data(), watched.size(), wait); }) < 0)
            throw_errno("cannot wait for contenders");
        const bool out_of_time = clock::now() >= deadline;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (finished[i]) continue;
            if (watched[0].revents != 0)
                all[i].end_because(child_end::stopped);
            else if (all[i].go_on(std::span{watched}.subspan(1 + 3 * i).first<3>()) && out_of_time)
                all[i].end_because(child_end::timed_out);
        }
        finish_what_is_over();
    }
    return outcomes;
}

child_outcome run_child(const child_request& request) {
    return std::move(run_together({&request, 1}, request.limit, request.stop_fd).front());
}

}  // namespace loopbench::bench

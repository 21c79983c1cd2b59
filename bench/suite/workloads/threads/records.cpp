#include "bench/suite/workloads/threads/records.hpp"

#include <algorithm>
#include <numeric>

#include "bench/suite/workloads/sockets/echo_session.hpp"

namespace loopbench::bench::workloads::detail {

std::vector<std::uint64_t> shown_counts::absolute() const {
    std::vector<std::uint64_t> all;
    for (const shown_count& each : counts_) all.push_back(each.now());
    return all;
}

std::vector<std::uint64_t> shown_counts::now() const {
    std::vector<std::uint64_t> all = absolute();
    for (std::size_t unit = 0; unit < before_.size(); ++unit) all[unit] -= before_[unit];
    return all;
}

std::uint64_t shown_counts::sum() const {
    const std::vector<std::uint64_t> all = now();
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

double least_share(std::span<const std::uint64_t> shares) noexcept {
    const auto sum = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
    if (sum == 0) return 1;
    const double mean = static_cast<double>(sum) / static_cast<double>(shares.size());
    return static_cast<double>(*std::ranges::min_element(shares)) / mean;
}

void thread_records::report() {
    for (const histograms& each : of_thread_) {
        t.latency().add(each.latency);
        t.lateness().add(each.lateness);
    }
    if (of_units_.size() > 1) {
        t.report("fairness", jain_index(of_units_));
        t.report("least_share", least_share(of_units_));
    }
    if (of_threads_.size() > 1) t.report("thread_fairness", jain_index(of_threads_));
    if (is_timed_)
        t.report("switches",
                 static_cast<double>(t.cost().voluntary_switches) / static_cast<double>(t.operations_done()));
}

}  // namespace loopbench::bench::workloads::detail

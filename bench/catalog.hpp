// The visible list of workloads: their names and what each of them does. Data only, so that both the
// contenders (which implement them) and the command line (which explains them) can include it.
#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct workload_info {
    std::string_view name;  // full name, or its front up to the parameters ("echo/rtt/tcp")
    std::span<const std::string_view> headline_metrics;  // what it is about, the first of them above all
    std::string_view summary;                            // one line: what one operation is
    std::string_view timed;      // what is inside of the timed section, what is not, and what is proved
    std::string_view dominated;  // what the time is expected to go to, and what a difference means
};

/// Every workload of the suite, in the order in which they are listed and reported.
std::span<const workload_info> workload_catalog();

/// What the catalog says of the workload with this full name; null when it does not know it.
const workload_info* find_workload(std::string_view full_name);

/// Whether a run measures the workload with this full name when no workload is named: twelve do for a minute.
/// A workload that the catalog does not know is headline, so that a stranger's contender is shown.
bool is_headline_workload(std::string_view full_name);

}  // namespace loopbench::bench

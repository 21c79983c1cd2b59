// The visible list of workloads: their names and what each of them does. Data only, so that both the
// contenders (which implement them) and the command line (which explains them) can include it.
#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct workload_info {
    std::string_view name;     // full name, or its front up to the parameters ("echo/rtt/tcp")
    std::string_view summary;  // one line: what one operation is, and what is timed
};

/// Every workload of the suite, in the order in which they are listed and reported.
std::span<const workload_info> workload_catalog();

}  // namespace loopbench::bench

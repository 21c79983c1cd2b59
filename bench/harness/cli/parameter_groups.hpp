// Combines workloads that differ only in their parameters.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace loopbench::bench {

struct parameter_group {
    std::string pattern;  // for example "echo/rtt/tcp/conns:{1,100}/bytes:64"
    std::string first;    // the first workload of the group
};

/// Groups the names that differ only in the values of their parameters (`key:value`). A group contains every
/// combination of its values; a name that fits into no such group is a group of its own. Returns the groups
/// in the order of their first names.
std::vector<parameter_group> grouped_by_parameters(std::span<const std::string> names);

}  // namespace loopbench::bench

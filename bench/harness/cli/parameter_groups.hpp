#pragma once

#include <span>
#include <string>
#include <vector>

namespace loopbench::bench {

struct parameter_group {
    std::string pattern;  // for example "echo/rtt/tcp/conns:{1,100}/bytes:64"
    std::vector<std::string> names;
};

/// Groups names that differ only in the values of their `key:value` parts. Names form a group only if they
/// contain every combination of these values; every other name is a group of its own. The groups have the
/// order in which their first names appear in `names`.
std::vector<parameter_group> grouped_by_parameters(std::span<const std::string> names);

}  // namespace loopbench::bench

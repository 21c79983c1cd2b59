#pragma once

#include <vector>

namespace loopbench::reports {

/// The cores to which a trial's threads are pinned, and that of the load generator, which is a process of its
/// own. A list is empty if the workload does not choose the cores.
struct used_cores {
    std::vector<int> threads, generator;
    bool operator==(const used_cores&) const = default;
};

}  // namespace loopbench::reports

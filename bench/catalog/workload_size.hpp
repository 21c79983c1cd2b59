// The size of a workload with a fixed amount of work. Contenders and the harness use this type.
#pragma once

#include <array>
#include <string_view>

namespace loopbench::bench {

/// The size of all workloads of a run. Every workload with a fixed amount of work states the amounts of both
/// sizes.
enum class workload_size { small, full };

/// The spellings in LOOPBENCH_SIZE and in files.
constexpr auto names_of(workload_size) {
    return std::to_array<std::string_view>({"small", "full"});
}

}  // namespace loopbench::bench

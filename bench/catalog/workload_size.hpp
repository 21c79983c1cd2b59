// The sizes of workloads that have a fixed amount of work. Contenders and the harness use the same type.
#pragma once

#include <array>
#include <string_view>

namespace loopbench::bench {

/// The size of all workloads of a run. Every workload with a fixed amount of work states one number of
/// operations for each size.
enum class workload_size { small, full };

/// The spellings of the sizes in LOOPBENCH_SIZE and in files.
constexpr auto names_of(workload_size) {
    return std::to_array<std::string_view>({"small", "full"});
}

}  // namespace loopbench::bench

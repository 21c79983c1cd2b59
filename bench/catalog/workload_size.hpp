#pragma once

#include <array>
#include <string_view>

namespace loopbench::bench {

enum class workload_size { small, full };

/// Returns the spellings of the sizes in LOOPBENCH_SIZE and in files.
constexpr auto names_of(workload_size) {
    return std::to_array<std::string_view>({"small", "full"});
}

}  // namespace loopbench::bench

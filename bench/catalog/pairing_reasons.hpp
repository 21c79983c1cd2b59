#pragma once

#include <string_view>

#include "bench/catalog/workload_table.hpp"

namespace loopbench::bench {

/// Returns the reason why the workload's trials cannot be interleaved, as a clause that can follow "because".
/// Returns an empty text if they can be interleaved. `of_one_program` is true if all builds in the comparison
/// are builds of one program.
std::string_view why_sequential(const workload_shape& shape, bool of_one_program);

}  // namespace loopbench::bench

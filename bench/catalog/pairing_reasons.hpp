// The reasons why trials of some workloads are always sequential.
#pragma once

#include <string_view>

#include "bench/catalog/workload_table.hpp"

namespace loopbench::bench {

/// Returns the reason why the workload's trials cannot be interleaved: in a run or, if `of_one_program` is
/// true, in a comparison of builds of one program. The reason is a clause that can follow "because". Returns
/// an empty text if the trials can be interleaved.
std::string_view why_sequential(const workload_shape& shape, bool of_one_program);

}  // namespace loopbench::bench

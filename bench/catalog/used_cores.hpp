// The label of a benchmark of the suite (Google Benchmark's field `label`) states the cores of a trial.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/model/used_cores.hpp"

namespace loopbench::bench {

/// Returns for example "threads=0,1 generator=2", or an empty text if there are no cores.
std::string label_of(const reports::used_cores& cores);

/// Returns the cores that a label states. Returns nothing for any other text.
std::optional<reports::used_cores> used_cores_in(std::string_view label);

}  // namespace loopbench::bench

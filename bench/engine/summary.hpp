// From trials to results: the only place where the engine does statistics.
#pragma once

#include <vector>

#include "bench/engine/runner.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// Contenders, results and warnings of a run, and whether it is complete. The caller knows the rest (the
/// command and the environment).
reports::report summarise(const run_plan& plan, const run_outcome& outcome);

/// Whether the cell's turn never came, because the run was interrupted or its time budget ended: it is
/// `failed` in a report, but nothing has failed there.
bool was_never_reached(const reports::result& item);

}  // namespace loopbench::bench

// The tables of a history, as the list of steps that made them: each database is as many of them old as it
// says.
#pragma once

#include <span>
#include <vector>

namespace loopbench::bench {

/// What one version adds to the one before; SQL that SQLite and PostgreSQL both take. What a version did is
/// never changed afterwards: there are databases that have done it.
struct schema_step {
    std::vector<const char*> statements;
};

/// Step i makes version i + 1.
std::span<const schema_step> schema_steps();

}  // namespace loopbench::bench

// The table of a history. Never change a version's step: there are databases that have executed it. To keep
// more data, add a step. SOCI takes a colon as the start of a parameter, even in a comment.
#include <array>

#include "bench/history/store.hpp"

namespace loopbench::bench {

namespace {

constexpr auto version_1 = R"(
CREATE TABLE loopbench_run (
    id BIGINT PRIMARY KEY,
    content TEXT NOT NULL UNIQUE,     -- what tells its trials from any others (entry.hpp)
    source TEXT NOT NULL,             -- loopbench, or google-benchmark
    date TEXT NOT NULL,               -- UTC, ISO 8601
    machine TEXT NOT NULL,            -- the name that it was given, or empty
    cpu_model TEXT NOT NULL,
    cores BIGINT NOT NULL,
    memory_gib BIGINT NOT NULL,
    kernel TEXT NOT NULL,
    commit_id TEXT NOT NULL,          -- empty where it is not known
    dirty INTEGER,                    -- null where it is not known
    compiler TEXT NOT NULL,
    layouts BIGINT NOT NULL,
    loopbench_version TEXT NOT NULL,
    size TEXT NOT NULL,
    baseline TEXT NOT NULL,           -- empty where it was not measured
    complete INTEGER NOT NULL,
    reliability TEXT NOT NULL,
    points TEXT NOT NULL,             -- what series are made of, as JSON (entry.hpp)
    other_points TEXT NOT NULL,       -- the same of what is looked at more rarely
    report TEXT NOT NULL              -- report.json in one line, with the values of each block
)
)";

const std::array steps{schema_step{version_1}};

}  // namespace

std::span<const schema_step> schema_steps() {
    return steps;
}

}  // namespace loopbench::bench

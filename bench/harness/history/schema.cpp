// SQLite and PostgreSQL both understand this SQL. After a change of the tables, increase the number in
// history_format. Never rename loopbench_schema.version or loopbench_run.loopbench_version, because every
// version of loopbench reads these columns to recognise a history's format. The comments in the SQL must not
// contain a colon, because SOCI parses a colon as the start of a parameter.
#include <array>

#include "bench/harness/history/store.hpp"

namespace loopbench::bench {

namespace {

constexpr auto schema_table = "CREATE TABLE loopbench_schema (version INTEGER NOT NULL)";

constexpr auto run_table = R"(
CREATE TABLE loopbench_run (
    id BIGINT PRIMARY KEY,
    content TEXT NOT NULL UNIQUE,     -- identifies the entry by its trials (entry.hpp)
    source TEXT NOT NULL,             -- loopbench, or the tool (report_source in entry.hpp)
    date TEXT NOT NULL,               -- UTC, ISO 8601
    machine TEXT NOT NULL,            -- the name from the user, or empty
    cpu_model TEXT NOT NULL,
    cores BIGINT NOT NULL,
    memory_gib BIGINT NOT NULL,
    kernel TEXT NOT NULL,
    commit_id TEXT NOT NULL,          -- empty if unknown
    dirty INTEGER,                    -- null if unknown
    compiler TEXT NOT NULL,
    layouts BIGINT NOT NULL,
    loopbench_version TEXT NOT NULL,
    size TEXT NOT NULL,
    baseline TEXT NOT NULL,           -- empty if it was not measured
    complete INTEGER NOT NULL,
    reliability TEXT NOT NULL,
    points TEXT NOT NULL,             -- primary metrics and counts, as JSON (entry.hpp)
    other_points TEXT NOT NULL,       -- the other metrics, in the same form
    report TEXT NOT NULL              -- report.json in one line, with the values of each block
)
)";

constexpr std::array tables{schema_table, run_table};

}  // namespace

std::span<const char* const> history_tables() {
    return tables;
}

}  // namespace loopbench::bench

#include "bench/history/schema.hpp"

#include <array>

namespace loopbench::bench {

namespace {

/// Texts are compared by their digest: an index of PostgreSQL takes no long ones.
const std::array steps{schema_step{{
    "CREATE TABLE loopbench_machine (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT "
    "NULL, "
    "cpu_model TEXT NOT NULL, cores INTEGER NOT NULL, memory_gib INTEGER NOT NULL)",

    "CREATE TABLE loopbench_build (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, commit_id TEXT NOT "
    "NULL, "
    "dirty INTEGER, compiler TEXT NOT NULL, layouts INTEGER NOT NULL, loopbench_version TEXT NOT NULL)",

    "CREATE TABLE loopbench_contender (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT "
    "NULL, "
    "library TEXT NOT NULL, version TEXT NOT NULL, compiler TEXT NOT NULL, flags TEXT NOT NULL)",

    "CREATE TABLE loopbench_measure (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, workload TEXT NOT "
    "NULL, "
    "metric TEXT NOT NULL, unit TEXT NOT NULL, direction TEXT NOT NULL, deterministic INTEGER NOT NULL, "
    "way TEXT NOT NULL, headline INTEGER NOT NULL)",

    "CREATE TABLE loopbench_run (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE, source TEXT NOT NULL, "
    "date TEXT NOT NULL, machine INTEGER NOT NULL REFERENCES loopbench_machine (id), "
    "build INTEGER NOT NULL REFERENCES loopbench_build (id), kernel TEXT NOT NULL, size TEXT NOT NULL, "
    "baseline TEXT NOT NULL, complete INTEGER NOT NULL, fitness TEXT NOT NULL, head TEXT NOT NULL)",

    "CREATE TABLE loopbench_run_contender (run INTEGER NOT NULL REFERENCES loopbench_run (id), "
    "contender INTEGER NOT NULL REFERENCES loopbench_contender (id), PRIMARY KEY (run, contender))",

    "CREATE TABLE loopbench_result (measure INTEGER NOT NULL REFERENCES loopbench_measure (id), "
    "run INTEGER NOT NULL REFERENCES loopbench_run (id), points TEXT NOT NULL, found TEXT NOT NULL, "
    "PRIMARY KEY (measure, run))",

    "CREATE INDEX loopbench_result_of_run ON loopbench_result (run)",
}}};

}  // namespace

std::span<const schema_step> schema_steps() {
    return steps;
}

}  // namespace loopbench::bench

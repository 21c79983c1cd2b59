// A program that is linked statically cannot load libraries.
#include <soci/sqlite3/soci-sqlite3.h>

#include "bench/harness/history/backends.hpp"
#include "bench/harness/history/store.hpp"

namespace loopbench::bench {

void open_database(soci::session& sql, const std::string& backend, const std::string& parameters) {
    if (backend != "sqlite3")
        throw database_error{
            "this loopbench is linked statically and has only SQLite; keep the history in a file, or use a "
            "loopbench from a distribution package or built from its sources"};
    sql.open(soci::sqlite3, parameters);
}

}  // namespace loopbench::bench

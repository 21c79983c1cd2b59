// SOCI loads its library for a database, libsoci_NAME.so, when the first connection is opened.
#include "bench/harness/history/backends.hpp"

namespace loopbench::bench {

void open_database(soci::session& sql, const std::string& backend, const std::string& parameters) {
    sql.open(backend, parameters);
}

}  // namespace loopbench::bench

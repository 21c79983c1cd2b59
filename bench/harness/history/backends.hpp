// SOCI's libraries for the databases. A program that is linked dynamically loads them (loaded_backends.cpp).
// A program that is linked statically contains the one for SQLite (linked_backends.cpp).
#pragma once

#include <soci/soci.h>

#include <string>

namespace loopbench::bench {

/// Opens a connection. `backend` is "sqlite3" or "postgresql". Throws soci::soci_error if the database fails,
/// and database_error if this program has no library for it.
void open_database(soci::session& sql, const std::string& backend, const std::string& parameters);

}  // namespace loopbench::bench

// The database of a history: SQLite in a file, or PostgreSQL. SQL is in store.cpp and schema.cpp, and nowhere
// else.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/history/entry.hpp"
#include "reports/formatted_error.hpp"

namespace loopbench::bench {

/// The database did not do what it was asked to; what() names it, the cause and the remedy. A transaction
/// that was begun was undone.
class database_error : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

using row_id = long long;

struct kept_machine {
    std::size_t number = 0;  // by the first run on it
    std::string name, cpu_model;
    long long cores = 0, memory_gib = 0;
};

struct kept_run {
    row_id id = 0;
    std::string content;  // entry::content
    std::string date, commit;
    std::optional<bool> dirty;
    std::string compiler;
    kept_machine machine;
    std::string kernel, size;
    std::string baseline;  // empty: it was not measured
    report_source source = report_source::loopbench;
    bool complete = true;
    reports::fitness fitness = reports::fitness::unknown;
};

/// What one version adds to the one before: SQL that SQLite and PostgreSQL both take.
using schema_step = std::vector<const char*>;

/// Step i makes version i + 1.
std::span<const schema_step> schema_steps();

enum class opening { existing, created_if_missing };

class store {
public:
    /// `where` is the path of a file or postgresql://... Brings an older schema up to `steps`, in one
    /// transaction. Another process that writes is waited for, up to `patience`. Throws usage_error when
    /// there is no history, or a newer one, or something else, and database_error.
    store(std::string where, opening how, std::chrono::seconds patience = std::chrono::seconds{10},
          std::span<const schema_step> steps = schema_steps());
    ~store();
    store(store&&) noexcept;
    store& operator=(store&&) noexcept;

    struct added {
        row_id run = 0;
        bool is_new = false;
    };
    /// All of the entry, or nothing when something fails. Of one that is there already only that is new what
    /// entry::said has and, where it was interrupted and is complete now, its report.
    added add(const entry& what);

    /// By date.
    std::vector<kept_run> runs();
    /// entry::points and entry::other_points of the run; empty when there is no such run.
    std::string points_of(row_id run);
    std::string other_points_of(row_id run);
    /// The report as it was added; nothing when there is no such run.
    std::optional<reports::report> report_of(row_id run);
    /// Its text, in one line, with what this loopbench does not know; empty when there is no such run.
    std::string report_text_of(row_id run);
    /// Nothing of these runs is kept.
    void remove(std::span<const row_id> runs);

    /// Without the password that a URL may have.
    [[nodiscard]] std::string place() const;

private:
    class connection;
    std::unique_ptr<connection> open_;
};

/// Where the history is: what was asked for, or LOOPBENCH_HISTORY, or history.db in the user's data folder.
/// Throws usage_error when there is no such folder.
std::string history_place(const std::string& asked);

/// The place without the password that a URL may have.
std::string without_password(std::string_view place);

}  // namespace loopbench::bench

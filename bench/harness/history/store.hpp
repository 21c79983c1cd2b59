// A history is an SQLite file or a PostgreSQL database. Only store.cpp and schema.cpp contain SQL.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/history/entry.hpp"
#include "reports/base/formatted_error.hpp"

namespace loopbench::bench {

/// An error of the database. An open transaction has been rolled back. what() contains the database's name,
/// the cause and the remedy.
class database_error : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

using row_id = long long;

struct kept_machine {
    std::size_t number = 0;  // 1 for the machine of the first run, and so on
    std::string name, cpu_model;
    long long cores = 0, memory_gib = 0;
};

struct kept_run {
    row_id id = 0;
    std::string content;
    std::string date, commit;
    std::optional<bool> dirty;
    std::string compiler;
    kept_machine machine;
    std::string kernel, size;
    std::string baseline;
    report_source source = report_source::loopbench;
    bool complete = true;
    reports::reliability reliability = reports::reliability::unknown;
};

std::span<const char* const> history_tables();

enum class opening { existing, created_if_missing };

class store {
public:
    /// Opens the history at `where`, which is a file's path or a URL postgresql://... All functions of this
    /// class wait for up to `patience` while another process writes. Throws usage_error if there is no
    /// history at `where`, or if `where` contains something else. Throws reports::other_format if another
    /// version of loopbench made the history, and database_error if the database fails.
    store(std::string where, opening how, std::chrono::seconds patience = std::chrono::seconds{10});
    ~store();
    store(store&&) noexcept;
    store& operator=(store&&) noexcept;

    struct added {
        row_id run = 0;
        bool is_new = false;
    };
    /// Adds an entry. If the history already contains the entry, updates only the fields that are set in
    /// entry::said, and replaces an interrupted run's report with a complete one. After an error, the history
    /// is unchanged.
    added add(const entry& what);
    /// Adds all entries or, after an error, none. Returns the outcome of each entry.
    std::vector<added> add(std::span<const entry> all);

    std::vector<kept_run> runs();
    /// Returns entry::points of the run, or an empty text if the run does not exist.
    std::string points_of(row_id run);
    std::string other_points_of(row_id run);
    std::optional<reports::report> report_of(row_id run);
    /// Returns entry::report of the run, including the fields that this version of loopbench does not know.
    /// Returns an empty text if the run does not exist.
    std::string report_text_of(row_id run);
    void remove(std::span<const row_id> runs);

    [[nodiscard]] std::string place() const;

private:
    class connection;
    std::unique_ptr<connection> open_;
};

/// Returns `asked` unless it is empty, otherwise the environment variable LOOPBENCH_HISTORY if it is set,
/// otherwise history.db in the user's data folder. Throws usage_error if the user has no data folder.
std::string history_place(const std::string& asked);

/// Replaces the password of a URL with "***".
std::string without_password(std::string_view place);

}  // namespace loopbench::bench

// Texts from reports and users are passed to SQL only as parameters.
#include "bench/harness/history/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <soci/soci.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "bench/harness/history/backends.hpp"
#include "bench/harness/history/place.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;
using soci::into;
using soci::use;

struct dialect {
    const char* backend;
    const char* begin_writing;  // allows one writer at a time
    const char* lock;           // null if begin_writing already locks out other writers
    const char* has_history;
};

constexpr dialect sqlite{"sqlite3", "BEGIN IMMEDIATE", nullptr,
                         "SELECT COUNT(*) FROM sqlite_master WHERE name = 'loopbench_schema'"};
constexpr dialect postgresql{
    "postgresql", "BEGIN ISOLATION LEVEL READ COMMITTED",  // sees rows that others commit while it waits
    "SELECT pg_advisory_xact_lock(1819242352)",
    "SELECT COUNT(*) FROM pg_class WHERE relname = 'loopbench_schema' AND pg_table_is_visible(oid)"};

constexpr std::string_view name_before_number = "loopbench-history/";
static_assert(reports::history_format.schema.starts_with(name_before_number));

std::string storable(std::string_view text) {
    std::string clean;
    for (const char c : reports::valid_utf8(text)) c == '\0' ? clean += "\xEF\xBF\xBD" : clean += c;
    return clean;
}

/// Throws usage_error if the file is not an SQLite database, because SQLite itself refuses such a file only
/// at the first read. Unless `how` is `existing`, accepts a missing file, and an empty file, which a killed
/// process can leave.
void refuse_other_files(const std::string& path, opening how) {
    constexpr std::string_view begins_with{"SQLite format 3\0", 16};
    std::error_code unknown;
    std::string front(begins_with.size(), '\0');
    const bool is_there = fs::exists(path, unknown);
    if (unknown) throw reports::file_error{"read the history", path, unknown.value()};
    if (is_there) {
        const auto file = reports::open_regular_file(path, O_RDONLY, "read the history");
        const auto bytes =
            reports::uninterrupted([&] { return ::read(file.get(), front.data(), front.size()); });
        if (bytes == -1) throw reports::file_error{"read the history", path, errno};
        if (bytes > 0 && front != begins_with)
            throw usage_error{"{} is not an SQLite database; choose the file of a history with --history",
                              path};
    }
    if (front != begins_with && how == opening::existing)
        throw usage_error{
            "there is no history in {}; create one with `loopbench history add REPORT`, or choose another "
            "with --history",
            path};
}

void make_folder(const std::string& path) {
    const auto folder = fs::path{path}.parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw database_error{
            fmt::format("cannot create the folder {}: {}; choose another place with --history",
                        folder.native(), error.message())};
}

std::string sqlite_parameters(const std::string& path, std::chrono::seconds patience) {
    if (path.find('"') != std::string::npos)
        throw usage_error{
            "the path {} contains a quotation mark, which cannot be passed to SQLite; choose another path",
            path};
    return fmt::format("dbname=\"{}\" timeout={}", path, patience.count());
}

}  // namespace

class store::connection {
public:
    template <class function>
    auto guarded(function&& action) {
        try {
            return action();
        } catch (const soci::soci_error& error) {
            throw explained(error);
        }
    }

    template <class function>
    auto in_transaction(function&& action) {
        return guarded([&] {
            sql_ << speaks_.begin_writing;
            try {
                if (speaks_.lock != nullptr) sql_ << speaks_.lock;
                auto outcome = action();
                sql_ << "COMMIT";
                return outcome;
            } catch (...) {
                try {
                    sql_ << "ROLLBACK";
                } catch (const soci::soci_error&) {  // without a connection, there is no transaction
                }
                throw;
            }
        });
    }

    connection(std::string where, opening how, std::chrono::seconds patience)
        : where_{std::move(where)}, speaks_{is_postgresql(where_) ? postgresql : sqlite} {
        refuse_other_urls(where_);
        refuse_unescaped_passwords(where_);
        if (!is_file()) {
            open_postgresql(patience);
        } else {
            where_ = fs::absolute(where_).native();
            refuse_other_files(where_, how);
            if (how == opening::created_if_missing) make_folder(where_);
            guarded([&] {
                open_database(sql_, speaks_.backend, sqlite_parameters(where_, patience));
                sql_ << "PRAGMA page_size = 16384";  // for new files: larger pages need fewer reads
            });
        }
        if (guarded([&] { return holds_history(); })) return;
        if (how == opening::existing)
            throw usage_error{"there is no history in {}; create one with `loopbench history add REPORT`",
                              shown()};
        in_transaction([&] { return holds_history() || create_tables(); });
    }

    std::string text_of(row_id run, const char* query) {
        return guarded([&] {
            std::string text;
            sql_ << query, use(run), into(text);
            return text;
        });
    }

    soci::session& sql() { return sql_; }
    [[nodiscard]] bool is_file() const { return speaks_.lock == nullptr; }
    [[nodiscard]] std::string shown() const { return without_password(where_); }

private:
    void open_postgresql(std::chrono::seconds patience) {
        ::setenv("PGCONNECT_TIMEOUT", "10", 0);
        guarded([&] {
            open_database(sql_, speaks_.backend, where_);
            sql_ << "SET client_encoding = 'UTF8'";
            sql_ << fmt::format("SET lock_timeout = '{}s'", patience.count());
            // Uses the compression method lz4 if the server supports it, because lz4 is several times as fast
            // as the default method.
            sql_ << "SELECT set_config(name, 'lz4', false) FROM pg_settings "
                    "WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";
        });
    }

    std::string last_writer() {
        std::string version;
        try {
            sql_ << "SELECT loopbench_version FROM loopbench_run WHERE loopbench_version <> '' "
                    "ORDER BY id DESC LIMIT 1",
                into(version);
        } catch (const soci::soci_error&) {  // another version of loopbench made other tables
        }
        return version;
    }

    bool holds_history() {
        row_id found = 0, number = 0;
        sql_ << speaks_.has_history, into(found);
        if (found == 0) return false;
        sql_ << "SELECT COALESCE(MAX(version), 0) FROM loopbench_schema", into(number);
        const auto& known = reports::history_format;
        const auto stated = fmt::format("{}{}", name_before_number, number);
        if (stated != known.schema)
            reports::require_format(stated, known, fmt::format("the history in {}", shown()), last_writer());
        return true;
    }

    bool create_tables() {
        refuse_other_databases();
        for (const auto* statement : history_tables()) sql_ << statement;
        const auto number = std::string{reports::history_format.schema.substr(name_before_number.size())};
        sql_ << "INSERT INTO loopbench_schema (version) VALUES (" + number + ")";
        return true;
    }

    void refuse_other_databases() {
        if (!is_file()) return;
        row_id tables = 0;
        sql_ << "SELECT COUNT(*) FROM sqlite_master", into(tables);
        if (tables > 0)
            throw usage_error{"{} is the database of another program; choose another file with --history",
                              where_};
    }

    [[nodiscard]] database_error explained(const soci::soci_error& error) const {
        auto cause = error.get_error_message();
        while (!cause.empty() && (cause.back() == '\n' || cause.back() == '.')) cause.pop_back();
        std::ranges::replace_if(
            cause, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
        if (const auto at = cause.find(where_); at != std::string::npos)
            cause.replace(at, where_.size(), shown());
        const auto says = [&](std::string_view words) { return cause.find(words) != std::string::npos; };
        const auto* remedy =
            says("locked") || says("lock timeout")
                ? "another process is writing to the history; try again later"
            : says("full") || says("I/O error") || says("No space")
                ? "free some space on the file system of the history, or allow larger files, and try again"
            : says("readonly") && !fs::exists(where_)
                ? "the file was moved or removed during the command; restore the file, or "
                  "repeat the command to create a new history"
            : says("readonly") || says("read-only") || says("permission")
                ? "change the permissions so that you can write to the history"
            : says("authentication") ? "check that the user can log in; put the password into ~/.pgpass"
            : says("unable to open") ? "check that the folder exists and is writable"
            : says("shared library") ? "install SOCI's library for this database (Debian: "
                                       "libsoci-sqlite3-4.0, or libsoci-postgresql4.0)"
            : is_file()              ? "check whether the file is damaged"
                                     : "check that the server runs and is reachable, and try again";
        return database_error{"cannot use the history in {}: {}; {}", shown(), cause, remedy};
    }

    std::string where_;
    const dialect& speaks_;
    soci::session sql_;
};

namespace {

std::string compilers_in(const reports::report& head) {
    std::vector<std::string> all;
    for (const auto& who : head.contenders)
        if (who.compiler && std::ranges::find(all, *who.compiler) == all.end()) all.push_back(*who.compiler);
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string baseline_measured(const reports::report& head) {
    const auto is_baseline = [&](const auto& who) { return who.name == head.baseline; };
    return std::ranges::any_of(head.contenders, is_baseline) ? head.baseline : "";
}

/// Rounds a machine's memory to whole GiB, because the kernel reserves a varying part of it.
long long rounded_gib(std::int64_t bytes) {
    constexpr std::int64_t gib = std::int64_t{1} << 30U;
    return bytes / gib + (bytes % gib >= gib / 2 ? 1 : 0);
}

void insert_run(soci::session& sql, row_id run, const entry& what) {
    const auto& head = what.head;
    const auto& where = head.where;
    const auto& from = what.from;
    const std::string source{reports::name_of(what.source)},
        date = what.date, machine = storable(from.machine), cpu_model = storable(where.cpu_model),
        kernel = storable(where.kernel), commit = storable(from.commit),
        compiler = storable(compilers_in(head)), version = storable(where.loopbench_version),
        size = storable(head.plan ? head.plan->size : ""), baseline = storable(baseline_measured(head)),
        reliability{reports::name_of(head.aa ? head.aa->found : reports::reliability::unknown)};
    const long long cores = where.cores, memory_gib = rounded_gib(where.memory_bytes),
                    layouts = head.plan ? static_cast<long long>(head.plan->layouts.value_or(1)) : 1;
    const int dirty = from.dirty.value_or(false) ? 1 : 0, complete = head.complete ? 1 : 0;
    auto has_dirty = from.dirty ? soci::i_ok : soci::i_null;
    sql << "INSERT INTO loopbench_run (id, content, source, date, machine, cpu_model, cores, memory_gib, "
           "kernel, commit_id, dirty, compiler, layouts, loopbench_version, size, baseline, complete, "
           "reliability, points, other_points, report) "
           "VALUES (:id, :content, :source, :date, :machine, :cpu_model, :cores, :memory_gib, :kernel, "
           ":commit, :dirty, :compiler, :layouts, :version, :size, :baseline, :complete, :reliability, "
           ":points, "
           ":other_points, :report)",
        use(run), use(what.content), use(source), use(date), use(machine), use(cpu_model), use(cores),
        use(memory_gib), use(kernel), use(commit), use(dirty, has_dirty), use(compiler), use(layouts),
        use(version), use(size), use(baseline), use(complete), use(reliability), use(what.points),
        use(what.other_points), use(what.report);
}

void update_run(soci::session& sql, row_id run, const entry& what) {
    const auto& said = what.said;
    const auto commit = storable(said.commit), machine = storable(said.machine);
    const int dirty = said.dirty.value_or(false) ? 1 : 0;
    std::string commit_before;
    sql << "SELECT commit_id FROM loopbench_run WHERE id = :id", use(run), into(commit_before);
    if (!commit.empty() && commit != commit_before)
        sql << "UPDATE loopbench_run SET commit_id = :commit, dirty = NULL WHERE id = :id", use(commit),
            use(run);
    if (const auto date = storable(said.date); !date.empty())
        sql << "UPDATE loopbench_run SET date = :date, report = :report WHERE id = :id", use(date),
            use(what.report), use(run);
    if (said.dirty) sql << "UPDATE loopbench_run SET dirty = :dirty WHERE id = :id", use(dirty), use(run);
    if (!machine.empty())
        sql << "UPDATE loopbench_run SET machine = :machine WHERE id = :id", use(machine), use(run);
}

/// Replaces the report of an interrupted run, which trends would ignore, with the complete report. Both
/// reports have the same entry::content, because the run was interrupted only after its last trial.
void finish_run(soci::session& sql, row_id run, const entry& what) {
    const std::string reliability{
        reports::name_of(what.head.aa ? what.head.aa->found : reports::reliability::unknown)};
    sql << "UPDATE loopbench_run SET complete = 1, reliability = :reliability, points = :points, "
           "other_points = :other_points, report = :report WHERE id = :id AND complete = 0",
        use(reliability), use(what.points), use(what.other_points), use(what.report), use(run);
}

/// Numbers the machines in the order in which their first runs were added. Thus a machine keeps its number
/// when runs are added.
void number_machines(std::vector<kept_run>& runs) {
    std::ranges::sort(runs, {}, &kept_run::id);
    std::map<std::tuple<std::string, std::string, long long, long long>, std::size_t> numbers;
    for (auto& run : runs) {
        auto& machine = run.machine;
        const std::tuple looks{machine.name, machine.cpu_model, machine.cores, machine.memory_gib};
        machine.number = numbers.try_emplace(looks, numbers.size() + 1).first->second;
    }
}

store::added add_run(soci::session& sql, const entry& what) {
    row_id run = 0;
    sql << "SELECT COALESCE(MAX(id), 0) FROM loopbench_run WHERE content = :content", use(what.content),
        into(run);
    if (run > 0) {
        update_run(sql, run, what);
        if (what.head.complete) finish_run(sql, run, what);
        return {run, false};
    }
    sql << "SELECT COALESCE(MAX(id), 0) + 1 FROM loopbench_run", into(run);
    insert_run(sql, run, what);
    return {run, true};
}

}  // namespace

store::store(std::string where, opening how, std::chrono::seconds patience)
    : open_{std::make_unique<connection>(std::move(where), how, patience)} {}
store::~store() = default;
store::store(store&&) noexcept = default;
store& store::operator=(store&&) noexcept = default;

std::string store::place() const {
    return open_->shown();
}

store::added store::add(const entry& what) {
    return add(std::span{&what, 1}).front();
}

std::vector<store::added> store::add(std::span<const entry> all) {
    return open_->in_transaction([&] {
        std::vector<added> outcomes;
        for (const auto& each : all) outcomes.push_back(add_run(open_->sql(), each));
        return outcomes;
    });
}

std::vector<kept_run> store::runs() {
    return open_->guarded([&] {
        std::vector<kept_run> all;
        kept_run run;
        int dirty = 0, complete = 0;
        soci::indicator has_dirty = soci::i_ok;
        std::string source, reliability;
        soci::statement rows =
            (open_->sql().prepare << "SELECT id, source, date, machine, cpu_model, cores, memory_gib, "
                                     "kernel, commit_id, dirty, compiler, "
                                     "size, baseline, complete, reliability, content FROM loopbench_run",
             into(run.id), into(source), into(run.date), into(run.machine.name), into(run.machine.cpu_model),
             into(run.machine.cores), into(run.machine.memory_gib), into(run.kernel), into(run.commit),
             into(dirty, has_dirty), into(run.compiler), into(run.size), into(run.baseline), into(complete),
             into(reliability), into(run.content));
        rows.execute();
        while (rows.fetch()) {
            run.dirty = has_dirty == soci::i_ok ? std::optional{dirty != 0} : std::nullopt;
            run.complete = complete != 0;
            run.source = reports::named<report_source>(source).value_or(report_source{});
            run.reliability =
                reports::named<reports::reliability>(reliability).value_or(reports::reliability{});
            all.push_back(run);
        }
        number_machines(all);
        // The database does not sort the runs, because it would sort texts by its locale.
        std::ranges::sort(all, {}, [](const kept_run& each) { return std::tie(each.date, each.id); });
        return all;
    });
}

std::string store::points_of(row_id run) {
    return open_->text_of(run, "SELECT points FROM loopbench_run WHERE id = :id");
}

std::string store::other_points_of(row_id run) {
    return open_->text_of(run, "SELECT other_points FROM loopbench_run WHERE id = :id");
}

std::string store::report_text_of(row_id run) {
    return open_->text_of(run, "SELECT report FROM loopbench_run WHERE id = :id");
}

std::optional<reports::report> store::report_of(row_id run) {
    const auto text = report_text_of(run);
    if (text.empty()) return std::nullopt;
    return reports::read_json(text, fmt::format("run {} in {}", run, place()));
}

void store::remove(std::span<const row_id> runs) {
    open_->in_transaction([&] {
        for (const row_id run : runs) open_->sql() << "DELETE FROM loopbench_run WHERE id = :id", use(run);
        return true;
    });
    if (!open_->is_file()) return;  // a server reuses the space of removed rows
    try {
        open_->sql() << "VACUUM";
    } catch (
        const soci::soci_error&) {  // there is no space for a new file; SQLite reuses the free pages instead
    }
}

}  // namespace loopbench::bench

// Through SOCI, which loads what it needs of SQLite or PostgreSQL when it is asked for it. Every value is a
// parameter.
#include "bench/history/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
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

#include "bench/machine/environment.hpp"
#include "bench/trial/usage_error.hpp"
#include "reports/files/posix_io.hpp"
#include "reports/json/json.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;
using soci::into;
using soci::use;

/// What the two databases have different words for.
struct dialect {
    const char* backend;
    const char* begin_writing;  // one writer at a time, from here on: what it reads stays so
    const char* lock;           // the same, where it is a statement of its own
    const char* has_history;    // whether there is a loopbench_schema
};

constexpr dialect sqlite{"sqlite3", "BEGIN IMMEDIATE", nullptr,
                         "SELECT COUNT(*) FROM sqlite_master WHERE name = 'loopbench_schema'"};
constexpr dialect postgresql{
    "postgresql", "BEGIN ISOLATION LEVEL READ COMMITTED",  // who waits sees what the other wrote meanwhile
    "SELECT pg_advisory_xact_lock(1819242352)",
    "SELECT COUNT(*) FROM pg_class WHERE relname = 'loopbench_schema' AND pg_table_is_visible(oid)"};

bool is_postgresql(std::string_view where) {
    return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

/// A file of that name would be made, in a folder with the password in its name.
void refuse_other_urls(std::string_view where) {
    const auto scheme = where.substr(0, std::min(where.find("://"), where.size()));
    const bool is_url = !scheme.empty() && scheme.size() < where.size() &&
                        std::ranges::all_of(scheme, [](unsigned char c) { return std::isalnum(c) != 0; });
    if (is_url && !is_postgresql(where))
        throw usage_error{
            "a history is a file of SQLite, or postgresql://USER@HOST/DATABASE, and nothing that begins with "
            "{}://; name one of these with --history",
            scheme};
}

struct place_part {
    std::size_t begin = 0, end = 0;
};

/// Of a URL that begins with user and password, where the password is. libpq takes it to end at the first @,
/// if no slash is in front of that; one with characters that should have been written otherwise is looked
/// for, too, so that it is not shown.
std::optional<place_part> password_of_user(std::string_view place) {
    const auto begin = place.find("://") + 3;
    const auto colon = place.find(':', begin), first = place.find('@', begin);
    if (first == std::string_view::npos || colon > first) return std::nullopt;
    const auto query = std::min(place.find('?', begin), place.size());
    auto at = place.rfind('@', query);
    if (at == std::string_view::npos || at < begin) {
        // Behind a question mark, which a password may have as well as a query.
        const auto slash = place.find('/', begin);
        const auto port = place.substr(colon + 1, std::min(slash, query) - colon - 1);
        const bool is_port = port.find_first_not_of("0123456789,") == std::string_view::npos;
        if (slash < first && (is_port || place[begin] == '[')) return std::nullopt;
        at = place.rfind('@', slash < first ? std::string_view::npos : slash);
    }
    return place_part{colon + 1, at};
}

std::vector<place_part> passwords_in(std::string_view place) {
    std::vector<place_part> all;
    if (!is_postgresql(place)) return all;
    if (const auto found = password_of_user(place)) all.push_back(*found);
    constexpr std::string_view key = "password=";
    for (auto at = place.find(key); at != std::string_view::npos; at = place.find(key, at + 1))
        if (const auto begin = at + key.size(); all.empty() || all.back().end <= at)
            all.push_back({begin, std::min(place.find('&', begin), place.size())});
    return all;
}

/// libpq would take such a password apart, and show a part of it in its message.
void refuse_unescaped_passwords(std::string_view where) {
    const auto is_hex = [](std::string_view digits) {
        return digits.size() == 2 && digits != "00" &&
               digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    };
    for (const auto [begin, end] : passwords_in(where)) {
        const auto password = where.substr(begin, end - begin);
        const bool is_in_query = where[begin - 1] == '=';  // where these two end nothing
        bool is_written_well = is_in_query || password.find_first_of("/@") == std::string_view::npos;
        for (auto at = password.find('%'); at != std::string_view::npos; at = password.find('%', at + 1))
            is_written_well = is_written_well && is_hex(password.substr(at + 1, 2));
        if (!is_written_well)
            throw usage_error{
                "the password in {} has a character that a URL has to have as %XX (/ is %2F, @ is %40, and % "
                "is %25); leave it out, and keep it in ~/.pgpass",
                without_password(where)};
    }
}

/// A text that both databases take: UTF-8, without the character that ends a text in C.
std::string storable(std::string_view text) {
    std::string clean;
    for (const char c : reports::valid_utf8(text)) c == '\0' ? clean += "\xEF\xBF\xBD" : clean += c;
    return clean;
}

/// A file that is there has to be a database: SQLite would say so only when it reads. An empty one is left by
/// who was killed before there was more.
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
            throw usage_error{"{} is no database of SQLite; name the file of a history with --history", path};
    }
    if (front != begins_with && how == opening::existing)
        throw usage_error{
            "there is no history in {}; `loopbench history add REPORT` begins one, or name another with "
            "--history",
            path};
}

/// A new one, where none is.
void make_folder(const std::string& path) {
    const auto folder = fs::path{path}.parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw database_error{fmt::format("cannot create the folder {}: {}; name another place with --history",
                                         folder.native(), error.message())};
}

std::string sqlite_parameters(const std::string& path, std::chrono::seconds patience) {
    if (path.find('"') != std::string::npos)
        throw usage_error{
            "the path {} has a quotation mark in it, which cannot be passed on to SQLite; name another one",
            path};
    return fmt::format("dbname=\"{}\" timeout={}", path, patience.count());
}

}  // namespace

class store::connection {
public:
    /// What `action` gives; what the database says against it is a database_error.
    template <class function>
    auto guarded(function&& action) {
        try {
            return action();
        } catch (const soci::soci_error& error) {
            throw explained(error);
        }
    }

    /// All of `action`, or nothing of it.
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
                } catch (const soci::soci_error&) {  // it is gone, and the transaction with it
                }
                throw;
            }
        });
    }

    connection(std::string where, opening how, std::chrono::seconds patience,
               std::span<const schema_step> steps)
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
                sql_.open(speaks_.backend, sqlite_parameters(where_, patience));
                sql_ << "PRAGMA page_size = 16384";  // of a new file; a read for each, and texts are long
            });
        }
        migrate(how, steps);
    }

    /// What `query` finds of the run; empty when there is none.
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
            sql_.open(speaks_.backend, where_);
            sql_ << "SET client_encoding = 'UTF8'";
            sql_ << fmt::format("SET lock_timeout = '{}s'", patience.count());
            // Where the server has it, it is several times as fast as what a report is compressed with else.
            sql_ << "SELECT set_config(name, 'lz4', false) FROM pg_settings "
                    "WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";
        });
    }

    bool has_history() {
        row_id found = 0;
        sql_ << speaks_.has_history, into(found);
        return found > 0;
    }

    std::size_t version() {
        row_id found = 0;
        if (has_history()) sql_ << "SELECT COALESCE(MAX(version), 0) FROM loopbench_schema", into(found);
        return static_cast<std::size_t>(found);
    }

    void refuse_other_databases() {
        if (!is_file()) return;
        row_id tables = 0;
        sql_ << "SELECT COUNT(*) FROM sqlite_master", into(tables);
        if (tables > 0)
            throw usage_error{"{} is a database of something else; name another file with --history", where_};
    }

    void migrate(opening how, std::span<const schema_step> steps) {
        const auto refuse_newer = [&](std::size_t found) {
            if (found > steps.size())
                throw usage_error{
                    "the history in {} has version {}, and this loopbench knows those up to {}; use a newer "
                    "loopbench, or another history",
                    shown(), found, steps.size()};
            return found;
        };
        if (guarded([&] { return refuse_newer(version()); }) == steps.size()) return;
        if (guarded([&] { return version(); }) == 0 && how == opening::existing)
            throw usage_error{"there is no history in {}; `loopbench history add REPORT` begins one",
                              shown()};
        // Another process may have done it meanwhile.
        in_transaction([&] {
            const auto from = refuse_newer(version());
            if (!has_history()) {
                refuse_other_databases();
                sql_ << "CREATE TABLE loopbench_schema (version INTEGER NOT NULL)";
            }
            for (auto i = from; i < steps.size(); ++i) {
                for (const auto* statement : steps[i]) sql_ << statement;
                const auto now = static_cast<row_id>(i + 1);
                sql_ << "INSERT INTO loopbench_schema (version) VALUES (:version)", use(now);
            }
            return true;
        });
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
            says("locked") || says("lock timeout") ? "another process writes to it; try again when it is done"
            : says("full") || says("I/O error") || says("No space")
                ? "make room there, or allow larger files, and try again"
            : says("readonly") && !fs::exists(where_)
                ? "its file was moved or removed meanwhile; put it back, or try again to begin another"
            : says("readonly") || says("read-only") || says("permission")
                ? "you need the right to write there"
            : says("authentication") ? "look whether the user may log in; its password belongs into ~/.pgpass"
            : says("unable to open") ? "look whether the folder is there and may be written to"
            : says("shared library") ? "install SOCI's library for it (Debian: libsoci-sqlite3-4.0, or "
                                       "libsoci-postgresql4.0)"
            : is_file()              ? "look whether the file is damaged"
                                     : "look whether the server runs and may be reached, and try again";
        return database_error{"the history in {} failed: {}; {}", shown(), cause, remedy};
    }

    std::string where_;
    const dialect& speaks_;
    soci::session sql_;
};

namespace {

/// All compilers of the report's contenders, which mostly are one.
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

/// A kernel reserves some of the memory, and not the same each time.
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
        fitness{reports::name_of(head.aa ? head.aa->found : reports::fitness::unknown)};
    const long long cores = where.cores, memory_gib = rounded_gib(where.memory_bytes),
                    layouts = head.plan ? static_cast<long long>(head.plan->layouts.value_or(1)) : 1;
    const int dirty = from.dirty.value_or(false) ? 1 : 0, complete = head.complete ? 1 : 0;
    auto has_dirty = from.dirty ? soci::i_ok : soci::i_null;
    sql << "INSERT INTO loopbench_run (id, content, source, date, machine, cpu_model, cores, memory_gib, "
           "kernel, commit_id, dirty, compiler, layouts, loopbench_version, size, baseline, complete, "
           "fitness, points, other_points, report) "
           "VALUES (:id, :content, :source, :date, :machine, :cpu_model, :cores, :memory_gib, :kernel, "
           ":commit, :dirty, :compiler, :layouts, :version, :size, :baseline, :complete, :fitness, :points, "
           ":other_points, :report)",
        use(run), use(what.content), use(source), use(date), use(machine), use(cpu_model), use(cores),
        use(memory_gib), use(kernel), use(commit), use(dirty, has_dirty), use(compiler), use(layouts),
        use(version), use(size), use(baseline), use(complete), use(fitness), use(what.points),
        use(what.other_points), use(what.report);
}

/// Who forgot to say what it is of adds it again. What is not said stays as it is; of another commit, nobody
/// knows whether it was all of it.
void update_run(soci::session& sql, row_id run, const provenance& said) {
    const auto commit = storable(said.commit), machine = storable(said.machine);
    const int dirty = said.dirty.value_or(false) ? 1 : 0;
    std::string commit_before;
    sql << "SELECT commit_id FROM loopbench_run WHERE id = :id", use(run), into(commit_before);
    if (!commit.empty() && commit != commit_before)
        sql << "UPDATE loopbench_run SET commit_id = :commit, dirty = NULL WHERE id = :id", use(commit),
            use(run);
    if (said.dirty) sql << "UPDATE loopbench_run SET dirty = :dirty WHERE id = :id", use(dirty), use(run);
    if (!machine.empty())
        sql << "UPDATE loopbench_run SET machine = :machine WHERE id = :id", use(machine), use(run);
}

/// A run that was cut behind its last trial has the same trials when it is finished. Before, no trend has it.
void finish_run(soci::session& sql, row_id run, const entry& what) {
    const std::string fitness{
        reports::name_of(what.head.aa ? what.head.aa->found : reports::fitness::unknown)};
    sql << "UPDATE loopbench_run SET complete = 1, fitness = :fitness, points = :points, "
           "other_points = :other_points, report = :report WHERE id = :id AND complete = 0",
        use(fitness), use(what.points), use(what.other_points), use(what.report), use(run);
}

/// By the first run on each of them, so that a machine keeps its number when runs are added.
void number_machines(std::vector<kept_run>& runs) {
    std::ranges::sort(runs, {}, &kept_run::id);
    std::map<std::tuple<std::string, std::string, long long, long long>, std::size_t> numbers;
    for (auto& run : runs) {
        auto& machine = run.machine;
        const std::tuple looks{machine.name, machine.cpu_model, machine.cores, machine.memory_gib};
        machine.number = numbers.try_emplace(looks, numbers.size() + 1).first->second;
    }
}

}  // namespace

store::store(std::string where, opening how, std::chrono::seconds patience,
             std::span<const schema_step> steps)
    : open_{std::make_unique<connection>(std::move(where), how, patience, steps)} {}
store::~store() = default;
store::store(store&&) noexcept = default;
store& store::operator=(store&&) noexcept = default;

std::string store::place() const {
    return open_->shown();
}

store::added store::add(const entry& what) {
    return open_->in_transaction([&]() -> added {
        auto& sql = open_->sql();
        row_id run = 0;
        sql << "SELECT COALESCE(MAX(id), 0) FROM loopbench_run WHERE content = :content", use(what.content),
            into(run);
        if (run > 0) {
            update_run(sql, run, what.said);
            if (what.head.complete) finish_run(sql, run, what);
            return {run, false};
        }
        sql << "SELECT COALESCE(MAX(id), 0) + 1 FROM loopbench_run", into(run);
        insert_run(sql, run, what);
        return {run, true};
    });
}

std::vector<kept_run> store::runs() {
    return open_->guarded([&] {
        std::vector<kept_run> all;
        kept_run run;
        int dirty = 0, complete = 0;
        soci::indicator has_dirty = soci::i_ok;
        std::string source, fitness;
        soci::statement rows =
            (open_->sql().prepare << "SELECT id, source, date, machine, cpu_model, cores, memory_gib, "
                                     "kernel, commit_id, dirty, compiler, "
                                     "size, baseline, complete, fitness, content FROM loopbench_run",
             into(run.id), into(source), into(run.date), into(run.machine.name), into(run.machine.cpu_model),
             into(run.machine.cores), into(run.machine.memory_gib), into(run.kernel), into(run.commit),
             into(dirty, has_dirty), into(run.compiler), into(run.size), into(run.baseline), into(complete),
             into(fitness), into(run.content));
        rows.execute();
        while (rows.fetch()) {
            run.dirty = has_dirty == soci::i_ok ? std::optional{dirty != 0} : std::nullopt;
            run.complete = complete != 0;
            run.source = reports::named<report_source>(source).value_or(report_source{});
            run.fitness = reports::named<reports::fitness>(fitness).value_or(reports::fitness{});
            all.push_back(run);
        }
        number_machines(all);
        // Not by the database, whose order of texts depends on its language.
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
    if (!open_->is_file()) return;  // a server uses the room again by itself
    try {
        open_->sql() << "VACUUM";
    } catch (
        const soci::soci_error&) {  // there is no room to write it anew: what is free is used again later
    }
}

std::string without_password(std::string_view place) {
    std::string shown{place};
    auto all = passwords_in(place);
    std::ranges::reverse(all);  // from behind: what is in front of one stays where it is
    for (const auto [begin, end] : all) shown.replace(begin, end - begin, "***");
    return shown;
}

std::string history_place(const std::string& asked) {
    if (!asked.empty()) return asked;
    if (const char* place = ::getenv("LOOPBENCH_HISTORY"); place != nullptr && *place != '\0') return place;
    if (const auto data = user_folder("XDG_DATA_HOME", ".local/share")) return *data / "loopbench/history.db";
    throw usage_error{
        "there is no folder for a history, as neither XDG_DATA_HOME nor HOME is set; name a file with "
        "--history"};
}

}  // namespace loopbench::bench

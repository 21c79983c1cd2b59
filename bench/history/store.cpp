// Through SOCI, which loads what it needs of SQLite or PostgreSQL when it is asked for it. Every value is a
// parameter.
#include "bench/history/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <soci/soci.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "bench/trial/usage_error.hpp"
#include "reports/json.hpp"
#include "reports/posix_io.hpp"

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
    "postgresql", "BEGIN", "SELECT pg_advisory_xact_lock(1819242352)",
    "SELECT COUNT(*) FROM pg_tables WHERE tablename = 'loopbench_schema' AND schemaname = "
    "ANY (current_schemas(false))"};

bool is_postgresql(std::string_view where) {
    return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

/// A text that both databases take: UTF-8, without the character that ends a text in C.
std::string storable(std::string_view text) {
    std::string clean;
    for (const char c : reports::valid_utf8(text)) c == '\0' ? clean += "\xEF\xBF\xBD" : clean += c;
    return clean;
}

std::string number_or_dash(std::optional<double> value) {
    return value ? fmt::format("{:.9g}", *value) : "-";
}

template <class enumeration>
enumeration named_value(std::string_view name) {
    const auto& names = names_of(enumeration{});
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? enumeration{} : static_cast<enumeration>(found - names.begin());
}

/// "7 r 1.02 1.01 1.03;": contender, ratio or value, the number and its interval. More digits are in the
/// report.
std::string point_text(row_id contender, const kept_point& point) {
    return fmt::format("{} {} {:.9g} {} {};", contender, point.is_ratio ? 'r' : 'v', point.value,
                       number_or_dash(point.low), number_or_dash(point.high));
}

/// Reads what point_text() wrote, one after the other.
class point_reader {
public:
    explicit point_reader(std::string_view text) : rest_{text} {}

    bool next(point_of_run& point) {
        if (rest_.empty()) return false;
        point.contender = read<row_id>().value_or(0);
        point.is_ratio = word() == "r";
        point.value = read<double>().value_or(0);
        point.low = read<double>();
        point.high = read<double>();
        return true;
    }

private:
    std::string_view word() {
        const auto end = std::min(rest_.find_first_of(" ;"), rest_.size());
        const auto found = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return found;
    }

    template <class type>
    std::optional<type> read() {
        const auto text = word();
        type value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{}) return std::nullopt;
        return value;
    }

    std::string_view rest_;
};

/// A file that is there has to be a database: SQLite would say so only when it reads, and make one of an
/// empty file.
void refuse_other_files(const std::string& path, opening how) {
    constexpr std::string_view begins_with{"SQLite format 3\0", 16};
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        if (how == opening::existing)
            throw usage_error{
                fmt::format("there is no history in {}; `loopbench history add REPORT` begins one, or "
                            "name another with --history",
                            path)};
        return;
    }
    const auto file = reports::open_regular_file(path, O_RDONLY, "read the history");
    std::array<char, begins_with.size()> front{};
    const auto bytes = reports::uninterrupted([&] { return ::read(file.get(), front.data(), front.size()); });
    const bool is_empty = bytes == 0 && how == opening::created_if_missing;
    if (!is_empty && std::string_view{front.data(), front.size()} != begins_with)
        throw usage_error{
            fmt::format("{} is no database of SQLite; name the file of a history with --history", path)};
}

/// A new one, where none is.
void make_folder(const std::string& path) {
    const auto folder = fs::path{path}.parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw reports::file_error{"create the folder", folder.native(), error.value()};
}

std::string sqlite_parameters(const std::string& path, std::chrono::seconds patience) {
    if (path.find('"') != std::string::npos)
        throw usage_error{
            fmt::format("the path {} has a quotation mark in it, which cannot be passed on to SQLite; "
                        "name another one",
                        path)};
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
        if (!is_file()) {
            open_postgresql(patience);
        } else {
            where_ = fs::absolute(where_).native();
            refuse_other_files(where_, how);
            if (how == opening::created_if_missing) make_folder(where_);
            guarded([&] { sql_.open(speaks_.backend, sqlite_parameters(where_, patience)); });
        }
        migrate(how, steps);
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
            throw usage_error{
                fmt::format("{} is a database of something else; name another file with --history", where_)};
    }

    void migrate(opening how, std::span<const schema_step> steps) {
        const auto refuse_newer = [&](std::size_t found) {
            if (found > steps.size())
                throw usage_error{fmt::format(
                    "the history in {} has version {}, and this loopbench knows those up to {}; use a "
                    "newer loopbench, or another history",
                    shown(), found, steps.size())};
            return found;
        };
        if (guarded([&] { return refuse_newer(version()); }) == steps.size()) return;
        if (guarded([&] { return version(); }) == 0 && how == opening::existing)
            throw usage_error{
                fmt::format("there is no history in {}; `loopbench history add REPORT` begins one", shown())};
        // Another process may have done it meanwhile.
        in_transaction([&] {
            const auto from = refuse_newer(version());
            if (!has_history()) {
                refuse_other_databases();
                sql_ << "CREATE TABLE loopbench_schema (version INTEGER NOT NULL)";
            }
            for (auto i = from; i < steps.size(); ++i) {
                for (const auto* statement : steps[i].statements) sql_ << statement;
                const auto now = static_cast<row_id>(i + 1);
                sql_ << "INSERT INTO loopbench_schema (version) VALUES (:version)", use(now);
            }
            return true;
        });
    }

    [[nodiscard]] database_error explained(const soci::soci_error& error) const {
        auto cause = error.get_error_message();
        while (!cause.empty() && (cause.back() == '\n' || cause.back() == '.')) cause.pop_back();
        std::ranges::replace(cause, '\n', ' ');
        const auto says = [&](std::string_view words) { return cause.find(words) != std::string::npos; };
        const auto* remedy =
            says("locked") || says("lock timeout") ? "another process writes to it; try again when it is done"
            : says("full") || says("I/O error")    ? "make room there, or allow larger files, and try again"
            : says("readonly") || says("permission") ? "you need the right to write there"
            : says("unable to open") ? "look whether the folder is there and may be written to"
            : is_file()              ? "look whether the file is damaged"
                                     : "look whether the server runs and may be reached, and try again";
        return database_error{
            fmt::format("the history in {} failed, and nothing was changed: {}; {}", shown(), cause, remedy)};
    }

    std::string where_;
    const dialect& speaks_;
    soci::session sql_;
};

namespace {

/// The row with this digest, which `insert` adds when there is none.
template <class function>
row_id id_of(soci::session& sql, const std::string& table, const std::string& key, function&& insert) {
    row_id id = 0;
    sql << "SELECT COALESCE(MAX(id), 0) FROM " + table + " WHERE digest = :digest", use(key), into(id);
    if (id > 0) return id;
    sql << "SELECT COALESCE(MAX(id), 0) + 1 FROM " + table, into(id);
    insert(id);
    return id;
}

/// What makes two of them the same.
template <class... texts>
std::string key_of(const texts&... all) {
    auto list = nlohmann::ordered_json::array();
    (list.push_back(all), ...);
    return digest(reports::dump(list));
}

row_id machine_id(soci::session& sql, const entry& of) {
    const auto& where = of.head.where;
    constexpr std::int64_t gib = std::int64_t{1} << 30U;
    const auto name = storable(of.from.machine), model = storable(where.cpu_model);
    // A kernel reserves some of it, and not the same each time.
    const long long cores = where.cores, memory = (where.memory_bytes + gib / 2) / gib;
    const auto key = key_of(name, model, cores, memory);
    return id_of(sql, "loopbench_machine", key, [&](row_id id) {
        sql << "INSERT INTO loopbench_machine (id, digest, name, cpu_model, cores, memory_gib) VALUES (:id, "
               ":digest, "
               ":name, :model, :cores, :memory)",
            use(id), use(key), use(name), use(model), use(cores), use(memory);
    });
}

/// All compilers of the report's contenders, which mostly are one.
std::string compilers_in(const reports::report& head) {
    std::vector<std::string> all;
    for (const auto& who : head.contenders)
        if (who.compiler && std::ranges::find(all, *who.compiler) == all.end()) all.push_back(*who.compiler);
    return fmt::format("{}", fmt::join(all, ", "));
}

row_id build_id(soci::session& sql, const entry& of) {
    const auto commit = storable(of.from.commit), compiler = storable(compilers_in(of.head));
    const auto version = storable(of.head.where.loopbench_version);
    const long long layouts = of.head.plan ? static_cast<long long>(of.head.plan->layouts.value_or(1)) : 1;
    const int dirty = of.from.dirty.value_or(false) ? 1 : 0;
    auto has_dirty = of.from.dirty ? soci::i_ok : soci::i_null;
    const auto key = key_of(commit, of.from.dirty ? dirty : -1, compiler, layouts, version);
    return id_of(sql, "loopbench_build", key, [&](row_id id) {
        sql << "INSERT INTO loopbench_build (id, digest, commit_id, dirty, compiler, layouts, "
               "loopbench_version) "
               "VALUES (:id, :digest, :commit, :dirty, :compiler, :layouts, :version)",
            use(id), use(key), use(commit), use(dirty, has_dirty), use(compiler), use(layouts), use(version);
    });
}

std::string measure_key(const subject& of) {
    return key_of(of.workload, of.metric, of.unit, reports::name_of(of.better), of.deterministic,
                  reports::name_of(of.made));
}

/// The ids of measures, read once: an entry has a thousand of them.
class measure_ids {
public:
    explicit measure_ids(soci::session& sql) : sql_{sql} {
        known_measure each;
        std::string key;
        soci::statement rows = (sql_.prepare << "SELECT id, digest, headline FROM loopbench_measure",
                                into(each.id), into(key), into(each.headline));
        rows.execute();
        while (rows.fetch()) {
            known_[key] = each;
            last_ = std::max(last_, each.id);
        }
    }

    row_id of(const kept_results& what) {
        const auto key = measure_key(what.of);
        const auto found = known_.find(key);
        if (found == known_.end()) return insert(key, what);
        if (what.headline && found->second.headline == 0)
            sql_ << "UPDATE loopbench_measure SET headline = 1 WHERE id = :id", use(found->second.id);
        return found->second.id;
    }

private:
    struct known_measure {
        row_id id = 0;
        int headline = 0;
    };

    row_id insert(const std::string& key, const kept_results& what) {
        const known_measure added{++last_, what.headline ? 1 : 0};
        const auto workload = storable(what.of.workload), metric = storable(what.of.metric),
                   unit = storable(what.of.unit);
        const std::string direction{reports::name_of(what.of.better)}, way{reports::name_of(what.of.made)};
        const int deterministic = what.of.deterministic ? 1 : 0;
        sql_
            << "INSERT INTO loopbench_measure (id, digest, workload, metric, unit, direction, deterministic, "
               "way, "
               "headline) VALUES (:id, :digest, :workload, :metric, :unit, :direction, :deterministic, :way, "
               ":headline)",
            use(added.id), use(key), use(workload), use(metric), use(unit), use(direction),
            use(deterministic), use(way), use(added.headline);
        known_[key] = added;
        return added.id;
    }

    soci::session& sql_;
    std::map<std::string, known_measure> known_;
    row_id last_ = 0;
};

/// The ids of a run's contenders by name; a result may be of one that the report does not describe.
class contender_ids {
public:
    contender_ids(soci::session& sql, row_id run, const reports::report& head) : sql_{sql}, run_{run} {
        for (const auto& who : head.contenders)
            if (!known_.contains(who.name)) add(who);
    }

    row_id of(const std::string& name) {
        const auto found = known_.find(name);
        if (found != known_.end()) return found->second;
        reports::contender who;
        who.name = name;
        return add(who);
    }

private:
    row_id add(const reports::contender& who) {
        const auto text = [](const std::optional<std::string>& said) { return storable(said.value_or("")); };
        const auto name = storable(who.name), library = text(who.library), version = text(who.version),
                   compiler = text(who.compiler), flags = text(who.flags);
        const auto key = key_of(name, library, version, compiler, flags);
        const row_id id = id_of(sql_, "loopbench_contender", key, [&](row_id next) {
            sql_ << "INSERT INTO loopbench_contender (id, digest, name, library, version, compiler, flags) "
                    "VALUES "
                    "(:id, :digest, :name, :library, :version, :compiler, :flags)",
                use(next), use(key), use(name), use(library), use(version), use(compiler), use(flags);
        });
        sql_ << "INSERT INTO loopbench_run_contender (run, contender) VALUES (:run, :contender)", use(run_),
            use(id);
        return known_[who.name] = id;
    }

    soci::session& sql_;
    row_id run_;
    std::map<std::string, row_id> known_;
};

struct result_row {
    row_id measure = 0;
    std::string points;
    const std::string* values = nullptr;
};

/// Many rows to a statement: a round trip for each would take a server longer than all the rest.
void insert_results(soci::session& sql, row_id run, std::span<const result_row> rows) {
    constexpr std::size_t rows_max = 100;
    while (!rows.empty()) {
        const auto some = rows.first(std::min(rows.size(), rows_max));
        std::string text = "INSERT INTO loopbench_result (measure, run, points, found) VALUES ";
        soci::statement insert{sql};
        for (std::size_t i = 0; i < some.size(); ++i) {
            text += fmt::format("{0}(:m{1}, :r{1}, :p{1}, :f{1})", i == 0 ? "" : ", ", i);
            insert.exchange(use(some[i].measure));
            insert.exchange(use(run));
            insert.exchange(use(some[i].points));
            insert.exchange(use(*some[i].values));
        }
        insert.alloc();
        insert.prepare(text);
        insert.define_and_bind();
        insert.execute(true);
        rows = rows.subspan(some.size());
    }
}

std::string baseline_measured(const reports::report& head) {
    const auto is_baseline = [&](const auto& who) { return who.name == head.baseline; };
    return std::ranges::any_of(head.contenders, is_baseline) ? storable(head.baseline) : "";
}

void insert_run(soci::session& sql, row_id run, const entry& what) {
    const row_id machine = machine_id(sql, what), build = build_id(sql, what);
    const auto& head = what.head;
    const std::string source{reports::name_of(what.source)},
        date = storable(head.where.date), kernel = storable(head.where.kernel),
        size = storable(head.plan ? head.plan->size : ""), baseline = baseline_measured(head),
        fitness{reports::name_of(head.aa ? head.aa->found : reports::fitness::unknown)};
    const int complete = head.complete ? 1 : 0;
    sql << "INSERT INTO loopbench_run (id, content, source, date, machine, build, kernel, size, baseline, "
           "complete, "
           "fitness, head) VALUES (:id, :content, :source, :date, :machine, :build, :kernel, :size, "
           ":baseline, "
           ":complete, :fitness, :head)",
        use(run), use(what.content), use(source), use(date), use(machine), use(build), use(kernel), use(size),
        use(baseline), use(complete), use(fitness), use(what.head_text);
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
        if (run > 0) return {run, false};
        sql << "SELECT COALESCE(MAX(id), 0) + 1 FROM loopbench_run", into(run);
        insert_run(sql, run, what);
        contender_ids contenders{sql, run, what.head};
        measure_ids measures{sql};
        std::vector<result_row> rows;
        for (const auto& each : what.results) {
            auto& row = rows.emplace_back(result_row{measures.of(each), {}, &each.values});
            for (const auto& point : each.points)
                row.points += point_text(contenders.of(point.contender), point);
        }
        insert_results(sql, run, rows);
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
            (open_->sql().prepare
                 << "SELECT r.id, r.content, r.source, r.date, r.kernel, r.size, r.baseline, r.complete, "
                    "r.fitness, "
                    "b.commit_id, b.dirty, b.compiler, m.id, m.name, m.cpu_model, m.cores, m.memory_gib FROM "
                    "loopbench_run r JOIN loopbench_build b ON b.id = r.build JOIN loopbench_machine m ON "
                    "m.id = "
                    "r.machine",
             into(run.id), into(run.content), into(source), into(run.date), into(run.kernel), into(run.size),
             into(run.baseline), into(complete), into(fitness), into(run.commit), into(dirty, has_dirty),
             into(run.compiler), into(run.machine.id), into(run.machine.name), into(run.machine.cpu_model),
             into(run.machine.cores), into(run.machine.memory_gib));
        rows.execute();
        while (rows.fetch()) {
            run.dirty = has_dirty == soci::i_ok ? std::optional{dirty != 0} : std::nullopt;
            run.complete = complete != 0;
            run.source = named_value<report_source>(source);
            run.fitness = named_value<reports::fitness>(fitness);
            all.push_back(run);
        }
        // Not by the database, whose order of texts depends on its language.
        std::ranges::sort(all, {}, [](const kept_run& each) { return std::tie(each.date, each.id); });
        return all;
    });
}

std::vector<kept_measure> store::measures() {
    return open_->guarded(
        [&] {
            std::vector<kept_measure> all;
            kept_measure each;
            int deterministic = 0, headline = 0;
            std::string direction, way;
            soci::statement rows =
                (open_->sql().prepare
                     << "SELECT id, workload, metric, unit, direction, deterministic, way, headline "
                        "FROM loopbench_measure ORDER BY id",
                 into(each.id), into(each.of.workload), into(each.of.metric), into(each.of.unit),
                 into(direction), into(deterministic), into(way), into(headline));
            rows.execute();
            while (rows.fetch()) {
                each.of.better = named_value<reports::direction>(direction);
                each.of.deterministic = deterministic != 0;
                each.of.made = named_value<reports::way>(way);
                each.headline = headline != 0;
                all.push_back(each);
            }
            return all;
        });
}

std::vector<kept_contender> store::contenders() {
    return open_->guarded([&] {
        std::vector<kept_contender> all;
        kept_contender each;
        soci::statement rows =
            (open_->sql().prepare << "SELECT id, name FROM loopbench_contender ORDER BY id", into(each.id),
             into(each.name));
        rows.execute();
        while (rows.fetch()) all.push_back(each);
        return all;
    });
}

void store::each_point(row_id measure, const std::function<void(const point_of_run&)>& take) {
    open_->guarded([&] {
        point_of_run point;
        std::string points;
        soci::statement rows =
            (open_->sql().prepare << "SELECT run, points FROM loopbench_result WHERE measure = :measure",
             into(point.run), into(points), use(measure));
        rows.execute();
        while (rows.fetch())
            for (point_reader reader{points}; reader.next(point);) take(point);
    });
}

std::optional<reports::report> store::report_of(row_id run) {
    std::string head;
    std::vector<kept_text> results;
    const auto is_there = open_->guarded([&] {
        auto& sql = open_->sql();
        row_id found = 0;
        sql << "SELECT COUNT(*) FROM loopbench_run WHERE id = :id", use(run), into(found);
        if (found == 0) return false;
        sql << "SELECT head FROM loopbench_run WHERE id = :id", use(run), into(head);
        row_id measure = 0;
        kept_text each;
        std::map<row_id, kept_measure> known;
        for (auto& one : measures()) known.emplace(one.id, std::move(one));
        soci::statement rows = (sql.prepare << "SELECT measure, found FROM loopbench_result WHERE run = :run",
                                into(measure), into(each.values), use(run));
        rows.execute();
        while (rows.fetch()) {
            each.of = known[measure].of;
            results.push_back(each);
        }
        return true;
    });
    if (!is_there) return std::nullopt;
    return restored(head, results);
}

void store::remove(std::span<const row_id> runs) {
    open_->in_transaction([&] {
        auto& sql = open_->sql();
        for (const row_id run : runs) {
            sql << "DELETE FROM loopbench_result WHERE run = :run", use(run);
            sql << "DELETE FROM loopbench_run_contender WHERE run = :run", use(run);
            sql << "DELETE FROM loopbench_run WHERE id = :run", use(run);
        }
        for (const auto* statement :
             {"DELETE FROM loopbench_measure WHERE id NOT IN (SELECT measure FROM loopbench_result)",
              "DELETE FROM loopbench_contender WHERE id NOT IN (SELECT contender FROM "
              "loopbench_run_contender)",
              "DELETE FROM loopbench_build WHERE id NOT IN (SELECT build FROM loopbench_run)",
              "DELETE FROM loopbench_machine WHERE id NOT IN (SELECT machine FROM loopbench_run)"})
            sql << statement;
        return true;
    });
    // A server does it by itself.
    if (open_->is_file()) open_->guarded([&] { open_->sql() << "VACUUM"; });
}

std::string without_password(std::string_view place) {
    std::string shown{place};
    if (!is_postgresql(place)) return shown;
    const auto begin = shown.find("://") + 3;
    const auto end = std::min(shown.find_first_of("/?", begin), shown.size());
    const auto at = shown.rfind('@', end);
    if (at != std::string::npos && at > begin)
        if (const auto colon = shown.find(':', begin); colon < at)
            shown.replace(colon + 1, at - colon - 1, "***");
    constexpr std::string_view key = "password=";
    if (const auto found = shown.find(key); found != std::string::npos) {
        const auto value = found + key.size();
        shown.replace(value, std::min(shown.find('&', value), shown.size()) - value, "***");
    }
    return shown;
}

std::string history_place(const std::string& asked) {
    const auto from_environment = [](const char* name) -> std::string {
        const char* value = ::getenv(name);
        return value != nullptr ? value : "";
    };
    if (!asked.empty()) return asked;
    if (auto place = from_environment("LOOPBENCH_HISTORY"); !place.empty()) return place;
    if (const auto data = from_environment("XDG_DATA_HOME"); data.starts_with('/'))
        return data + "/loopbench/history.db";
    if (const auto home = from_environment("HOME"); home.starts_with('/'))
        return home + "/.local/share/loopbench/history.db";
    throw usage_error{
        "there is no folder for a history, as neither XDG_DATA_HOME nor HOME is set; name a file with "
        "--history"};
}

}  // namespace loopbench::bench

// Tests the database: each report is stored completely and only once, even with several concurrent writers.
#include "bench/harness/history/store.hpp"

#include <gtest/gtest.h>
#include <soci/soci.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <future>
#include <vector>

#include "bench/harness/history/series.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/json.hpp"
#include "support.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using bench::opening;
using namespace std::chrono_literals;

bench::store opened(const empty_history& history) {
    return bench::store{history.place(), opening::created_if_missing, 2s};
}

struct other_session {
    explicit other_session(const empty_history& history)
        : sql{history.is_file() ? "sqlite3" : "postgresql",
              history.is_file() ? "dbname=\"" + history.place() + "\"" : history.place()} {}

    long long count(const std::string& table) {
        long long rows = -1;
        sql << "SELECT COUNT(*) FROM " + table, soci::into(rows);
        return rows;
    }

    soci::session sql;
};

TEST(store, an_added_report_can_be_read_back) {
    const empty_history history;
    auto store = opened(history);
    const auto report = sample_report();
    const auto [run, is_new] = store.add(bench::entry_of(report, {"0123abcd", true, "left"}));
    EXPECT_TRUE(is_new);
    const auto again = store.report_of(run);
    ASSERT_TRUE(again);
    EXPECT_EQ(reports::write_json(*again), reports::write_json(report));
    EXPECT_FALSE(store.report_of(run + 1));
    const auto runs = store.runs();
    ASSERT_EQ(runs.size(), 1);
    EXPECT_EQ(runs[0].commit, "0123abcd");
    EXPECT_EQ(runs[0].dirty, true);
    EXPECT_EQ(runs[0].machine.name, "left");
    EXPECT_EQ(runs[0].reliability, reports::reliability::unreliable);
    EXPECT_FALSE(runs[0].complete);
}

TEST(store, adding_a_report_again_updates_only_the_facts_that_the_user_states) {
    const empty_history history;
    auto store = opened(history);
    const auto first = store.add(bench::entry_of(report_of_day(1), {"", {}, "left"}));
    const auto second = store.add(bench::entry_of(report_of_day(1), {"abc", false, ""}));
    EXPECT_FALSE(second.is_new);
    EXPECT_EQ(second.run, first.run);
    store.add(bench::entry_of(report_of_day(1), {}));
    store.add(bench::entry_of(report_of_day(1), {"abc", {}, ""}));
    ASSERT_EQ(store.runs().size(), 1);
    EXPECT_EQ(store.runs()[0].commit, "abc");
    EXPECT_EQ(store.runs()[0].dirty, false);
    EXPECT_EQ(store.runs()[0].machine.name, "left");
    store.add(bench::entry_of(report_of_day(1), {"", true, ""}));
    EXPECT_EQ(store.runs()[0].dirty, true) << "only this field was given";
    store.add(bench::entry_of(report_of_day(1), {"another", {}, ""}));
    EXPECT_EQ(store.runs()[0].commit, "another");
    EXPECT_FALSE(store.runs()[0].dirty) << "the state of the new commit is unknown";
}

TEST(store, a_file_that_is_added_again_with_another_date_is_not_counted_twice) {
    const empty_history history;
    auto store = opened(history);
    const auto* text = R"({"context": {"date": "2021-09-02 18:59:37"}, "benchmarks": [
        {"name": "encode", "run_name": "encode", "run_type": "iteration", "real_time": 9, "cpu_time": 9,
         "time_unit": "ns"}]})";
    store.add(bench::read_entry(text, "bench.json", {}, {.date = "2021-09-03"}));
    store.add(bench::read_entry(text, "bench.json", {}, {.date = "2021-09-02"}));
    ASSERT_EQ(store.runs().size(), 1);
    EXPECT_EQ(store.runs()[0].date, "2021-09-02") << "the correction counts";
    EXPECT_EQ(store.report_of(store.runs()[0].id)->where.date, "2021-09-02");
}

TEST(store, the_report_of_a_finished_run_replaces_the_report_of_the_interrupted_run) {
    const empty_history history;
    auto store = opened(history);
    auto report = report_of_day(1);
    report.complete = false;
    const auto run = store.add(bench::entry_of(report, {"abc", false, "left"})).run;
    report.complete = true;
    report.aa = reports::self_check{};
    report.aa->found = reports::reliability::reliable;
    const auto finished = store.add(bench::entry_of(report, {}));
    EXPECT_EQ(finished.run, run);
    EXPECT_FALSE(finished.is_new);
    const auto as_it_is = [&] {
        const auto runs = store.runs();
        ASSERT_EQ(runs.size(), 1);
        EXPECT_TRUE(runs[0].complete);
        EXPECT_EQ(runs[0].reliability, reports::reliability::reliable);
        EXPECT_EQ(runs[0].commit, "abc");
        EXPECT_EQ(runs[0].dirty, false);
        EXPECT_EQ(runs[0].machine.name, "left");
        EXPECT_EQ(reports::write_json(*store.report_of(run)), reports::write_json(report));
        EXPECT_FALSE(bench::read_series(store, runs, {}).empty());
    };
    as_it_is();
    auto cut = report;
    cut.complete = false;
    store.add(bench::entry_of(cut, {}));
    as_it_is();
}

TEST(store, a_commit_from_the_caller_replaces_the_commit_in_the_file) {
    const empty_history history;
    auto store = opened(history);
    const auto* text = R"({"context": {"date": "2026-01-05T12:00:00Z", "commit": "cafe"}, "benchmarks": [
        {"name": "b", "run_name": "b", "run_type": "iteration", "real_time": 1, "cpu_time": 1,
         "time_unit": "ns"}]})";
    store.add(bench::read_entry(text, "bench.json", {"abc", true, ""}));
    store.add(bench::read_entry(text, "bench.json", {"", {}, "left"}));
    ASSERT_EQ(store.runs().size(), 1);
    EXPECT_EQ(store.runs()[0].commit, "abc");
    EXPECT_EQ(store.runs()[0].dirty, true);
    EXPECT_EQ(store.runs()[0].machine.name, "left");
}

TEST(store, machines_are_numbered_in_the_order_of_their_first_runs) {
    const empty_history history;
    auto store = opened(history);
    store.add(bench::entry_of(report_of_day(3), {}));
    store.add(bench::entry_of(report_of_day(1), {"", {}, "left"}));
    store.add(bench::entry_of(report_of_day(2), {}));
    std::vector<std::size_t> numbers;
    for (const auto& run : store.runs()) numbers.push_back(run.machine.number);
    EXPECT_EQ(numbers, (std::vector<std::size_t>{2, 1, 1}));
}

TEST(store, reports_with_the_largest_possible_integers_are_accepted) {
    const empty_history history;
    auto store = opened(history);
    auto report = report_of_day(1);
    report.where.cores = report.where.memory_bytes = INT64_MAX;
    report.plan->layouts = UINT64_MAX;
    store.add(bench::entry_of(report, {}));
    EXPECT_EQ(store.runs().at(0).machine.memory_gib, std::int64_t{1} << 33);
    EXPECT_FALSE(store.report_of(INT64_MAX));
}

TEST(store, names_that_contain_arbitrary_bytes_are_accepted) {
    const empty_history history;
    auto store = opened(history);
    std::string all_bytes;
    for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
    for (const auto& name : {std::string{"'); DROP TABLE loopbench_run; --"},
                             std::string{":name \" \\ % _ $1 ? ::text"}, all_bytes}) {
        auto report = report_of_day(1);
        report.where.kernel = report.where.cpu_model = report.results[0].unit = name;
        report.contenders[0].name = report.baseline = report.workloads[0].name = name;
        for (auto& item : report.results) item.workload = name;
        const auto [run, is_new] = store.add(bench::entry_of(report, {name, true, name}));
        EXPECT_TRUE(is_new);
        const auto runs = store.runs();
        const auto kept = std::ranges::find(runs, run, &bench::kept_run::id);
        ASSERT_NE(kept, runs.end());
        auto readable = reports::valid_utf8(name);
        for (auto at = readable.find('\0'); at != std::string::npos; at = readable.find('\0'))
            readable.replace(at, 1, "\xEF\xBF\xBD");
        EXPECT_EQ(kept->commit, readable);
        EXPECT_EQ(kept->machine.name, readable);
        EXPECT_EQ(kept->kernel, readable);
        EXPECT_EQ(reports::write_json(*store.report_of(run)),
                  reports::write_json(reports::read_json(reports::write_json(report), "itself")));
        const auto all = bench::read_series(store, runs, {.metrics = {"time"}});
        EXPECT_TRUE(std::ranges::any_of(
            all, [&](const auto& each) { return each.of.workload == reports::valid_utf8(name); }));
    }
    EXPECT_EQ(other_session{history}.count("loopbench_run"), 3);
}

TEST(store, runs_can_be_removed_from_a_history) {
    const empty_history history;
    auto store = opened(history);
    const auto first = store.add(bench::entry_of(sample_report(), {"old", {}, "old"})).run;
    store.add(bench::entry_of(report_of_day(1), {"new", {}, ""}));
    store.remove(std::array{first});
    ASSERT_EQ(store.runs().size(), 1);
    EXPECT_EQ(store.runs()[0].commit, "new");
    EXPECT_EQ(store.points_of(first), "");
}

TEST(store, a_history_of_another_format_is_refused_and_left_unchanged) {
    const empty_history history;
    opened(history).add(bench::entry_of(report_of_day(1), {}));
    other_session other{history};
    for (const auto* version : {"version - 1", "version + 2"}) {
        other.sql << std::string{"UPDATE loopbench_schema SET version = "} + version;
        for (const auto how : {opening::existing, opening::created_if_missing}) {
            const auto refusal = complaint_of<reports::other_format>([&] {
                bench::store{history.place(), how};
            });
            EXPECT_SAYS(refusal, "the history in ");
            EXPECT_SAYS(refusal, "0.1.0") << "the version that wrote the run";
        }
        EXPECT_EQ(other.count("loopbench_run"), 1);
    }
    other.sql << "UPDATE loopbench_schema SET version = version - 1";
    EXPECT_EQ(opened(history).runs().size(), 1);
}

TEST(store, a_history_of_another_format_is_refused_even_if_a_table_is_missing) {
    const empty_history history;
    opened(history);
    other_session{history}.sql << "DROP TABLE loopbench_run";
    other_session{history}.sql << "UPDATE loopbench_schema SET version = 99";
    EXPECT_SAYS(complaint_of<reports::other_format>([&] { opened(history); }), "update loopbench");
}

TEST(store, adding_a_report_while_another_process_locks_the_database_causes_an_error) {
    const empty_history history;
    opened(history);
    bench::store store{history.place(), opening::existing, 1s};
    other_session other{history};
    if (history.is_file()) {
        other.sql << "BEGIN IMMEDIATE";
    } else {
        other.sql << "BEGIN";
        other.sql << "LOCK TABLE loopbench_run IN ACCESS EXCLUSIVE MODE";
    }
    EXPECT_SAYS(
        complaint_of<bench::database_error>([&] { store.add(bench::entry_of(report_of_day(1), {})); }),
        "another process");
    other.sql << "ROLLBACK";
    EXPECT_TRUE(store.add(bench::entry_of(report_of_day(1), {})).is_new) << "the other transaction has ended";
}

TEST(store, reading_does_not_create_a_missing_history) {
    const empty_history history;
    EXPECT_THROW((bench::store{history.place(), opening::existing}), bench::usage_error);
    EXPECT_FALSE(history.is_file() && std::filesystem::exists(history.place()));
}

TEST(sqlite, files_that_are_not_histories_are_refused_and_left_unchanged) {
    const temporary_folder folder;
    const auto text = (folder / "text.db").native(), other = (folder / "other.db").native();
    reports::write_file_atomically(text, "this is no database, and longer than sixteen bytes");
    soci::session{"sqlite3", "dbname=\"" + other + "\""} << "CREATE TABLE another_programs (a INTEGER)";
    for (const auto& file : {text, other, folder.path().native()})
        for (const auto how : {opening::existing, opening::created_if_missing}) {
            const bool is_file = std::filesystem::is_regular_file(file);
            const auto before = is_file ? content_of(file) : "";
            EXPECT_ANY_THROW((bench::store{file, how})) << file;
            if (is_file) {
                EXPECT_EQ(content_of(file), before);
            }
        }
    EXPECT_THROW((bench::store{text, opening::created_if_missing}), bench::usage_error);
    EXPECT_THROW((bench::store{other, opening::created_if_missing}), bench::usage_error);
}

TEST(sqlite, a_history_file_that_cannot_be_examined_or_created_is_reported_with_the_reason) {
    const temporary_folder folder;
    const auto loop = folder / "loop.db", text = folder / "text";
    std::filesystem::create_symlink(loop, loop);
    reports::write_file_atomically(text, "no folder");
    const auto refusal = [](const std::filesystem::path& place, opening how) {
        return complaint_of<std::exception>([&] { bench::store{place.native(), how}; });
    };
    const auto unknown = refusal(loop, opening::existing);
    EXPECT_SAYS(unknown, "symbolic links") << "the file cannot be examined";
    const auto folderless = refusal(text / "history.db", opening::created_if_missing);
    EXPECT_SAYS(folderless, "--history");
}

TEST(sqlite, no_run_is_lost_if_the_history_file_is_moved_while_the_history_is_open) {
    const temporary_folder folder;
    const auto file = folder / "history.db", elsewhere = folder / "elsewhere.db";
    bench::store store{file.native(), opening::created_if_missing};
    store.add(bench::entry_of(report_of_day(1), {}));
    std::filesystem::rename(file, elsewhere);
    EXPECT_SAYS(
        complaint_of<bench::database_error>([&] { store.add(bench::entry_of(report_of_day(2), {})); }),
        "moved or removed");
    EXPECT_FALSE(std::filesystem::exists(file));
    std::filesystem::rename(elsewhere, file);
    EXPECT_EQ((bench::store{file.native(), opening::existing}.runs().size()), 1);
}

TEST(sqlite, a_damaged_history_file_is_reported) {
    const temporary_folder folder;
    const auto file = (folder / "history.db").native();
    bench::store{file, opening::created_if_missing}.add(bench::entry_of(report_of_day(1), {}));
    const auto whole = content_of(file);
    constexpr std::size_t page = 16384;  // SQLite fills a truncated last page with zeros
    for (std::size_t kept = 16; kept + page < whole.size(); kept += 3989) {
        reports::write_file_atomically(file, whole.substr(0, kept));
        EXPECT_THROW((bench::store{file, opening::existing}.report_of(1)), bench::database_error) << kept;
    }
    auto scribbled = whole;
    for (std::size_t at = 100; at < scribbled.size(); at += 64) scribbled[at] = '\xA5';
    reports::write_file_atomically(file, scribbled);
    EXPECT_ANY_THROW(
        (bench::store{file, opening::created_if_missing}.add(bench::entry_of(report_of_day(2), {}))));
}

TEST(sqlite, the_path_of_a_history_can_contain_any_character_except_a_double_quote) {
    const temporary_folder folder;
    for (const auto* name :
         {"a b  c.db", "a=b timeout=0.db", "it's; --.db", "new/folder/history.db", "ä\n.db"}) {
        const auto path = (folder / name).native();
        bench::store{path, opening::created_if_missing}.add(bench::entry_of(report_of_day(1), {}));
        EXPECT_TRUE(std::filesystem::exists(path)) << name;
        EXPECT_EQ((bench::store{path, opening::existing}.runs().size()), 1) << name;
    }
    EXPECT_THROW((bench::store{(folder / "\"").native(), opening::created_if_missing}), bench::usage_error);
}

TEST(postgresql, no_run_is_lost_if_the_server_closes_the_connection_during_an_add) {
    if (tests::postgresql().empty()) return;  // only the CTest test with_postgresql provides a server
    const empty_history history;
    auto store = opened(history);
    store.add(bench::entry_of(report_of_day(1), {}));
    ASSERT_EQ(psql(history.place(),
                   "CREATE FUNCTION go_away() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM "
                   "pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$; CREATE TRIGGER going AFTER "
                   "INSERT ON loopbench_run FOR EACH ROW EXECUTE FUNCTION go_away()")
                  .code,
              0);
    EXPECT_THROW(store.add(bench::entry_of(report_of_day(2), {})), bench::database_error);
    EXPECT_THROW(store.runs(), bench::database_error) << "the run is removed";
    store = opened(history);
    EXPECT_EQ(store.runs().size(), 1);
    EXPECT_EQ(psql(history.place(), "DROP TRIGGER going ON loopbench_run").code, 0);
    EXPECT_TRUE(store.add(bench::entry_of(report_of_day(2), {})).is_new);
}

// The server's default isolation is serializable in this test. A transaction with this isolation would not
// see the rows that others committed while it waited.
TEST(postgresql, a_server_with_serializable_isolation_accepts_several_writers) {
    if (tests::postgresql().empty()) return;
    const empty_history history;
    const auto place = history.place() + "&options=-c%20default_transaction_isolation%3Dserializable";
    const auto at_once = [&](const std::function<void(int)>& act) {
        std::vector<std::future<void>> all;
        for (int i = 1; i <= 8; ++i) all.push_back(std::async(std::launch::async, act, i));
        for (auto& each : all) EXPECT_NO_THROW(each.get());
    };
    at_once([&](int day) {
        bench::store{place, opening::created_if_missing}.add(bench::entry_of(report_of_day(day), {}));
    });
    EXPECT_EQ(opened(history).runs().size(), 8);
}

TEST(postgresql, a_history_on_a_read_only_server_can_be_read_and_writing_causes_an_error) {
    if (tests::postgresql().empty()) return;
    const empty_history history;
    opened(history);
    bench::store replica{history.place() + "&options=-c%20default_transaction_read_only%3Don",
                         opening::existing};
    EXPECT_TRUE(replica.runs().empty());
    EXPECT_SAYS(
        complaint_of<bench::database_error>([&] { replica.add(bench::entry_of(report_of_day(1), {})); }),
        "permission");
}

TEST(postgresql, the_error_for_an_unreachable_server_does_not_contain_the_password) {
    for (const auto* url :
         {"postgresql://me:secret@localhost:1/none", "postgresql://me:secret@[localhost/none"})
        try {
            bench::store{url, opening::existing};
            ADD_FAILURE();
        } catch (const bench::database_error& error) {
            EXPECT_EQ(std::string_view{error.what()}.find("secret"), std::string_view::npos) << error.what();
        }
}

// libpq's own message would contain a part of the password.
TEST(postgresql, the_error_for_a_badly_encoded_password_does_not_contain_the_password) {
    for (const std::string password : {"sec%zzret", "sec%00ret", "sec%", "sec/ret", "12/secret", "s@secret"})
        for (const auto& url : {"postgresql://me:" + password + "@localhost:1/none",
                                "postgresql://localhost:1/none?password=" + password})
            try {
                bench::store{url, opening::existing};
                ADD_FAILURE();
            } catch (const std::exception& error) {
                EXPECT_EQ(std::string_view{error.what()}.find("sec"), std::string_view::npos) << error.what();
            }
    EXPECT_THROW((bench::store{"postgresql://me:a@b@localhost:1/none", opening::existing}),
                 bench::usage_error);
    EXPECT_THROW((bench::store{"postgresql://me:a%2fb@localhost:1/none?password=a@b", opening::existing}),
                 bench::database_error)
        << "no server listens here";
}

TEST(place, a_url_of_an_unsupported_kind_of_database_is_refused) {
    for (const auto* url : {"mysql://me:secret@host/db", "sqlite:///history.db", "file:///history.db"}) try {
            bench::store{url, opening::created_if_missing};
            ADD_FAILURE() << url;
        } catch (const bench::usage_error& error) {
            EXPECT_EQ(std::string_view{error.what()}.find("secret"), std::string_view::npos) << error.what();
        }
}

TEST(place, passwords_in_urls_are_hidden) {
    EXPECT_EQ(bench::without_password("postgresql://me:secret@host/db"), "postgresql://me:***@host/db");
    EXPECT_EQ(bench::without_password("postgres://me:se@cret@host:5432/db?x=1"),
              "postgres://me:***@host:5432/db?x=1");
    EXPECT_EQ(bench::without_password("postgresql://me@host/db?password=secret&x=1"),
              "postgresql://me@host/db?password=***&x=1");
    EXPECT_EQ(bench::without_password("postgresql://me:sec/ret@host/db"), "postgresql://me:***@host/db");
    EXPECT_EQ(bench::without_password("postgresql://h/db?sslpassword=secret&password=secret"),
              "postgresql://h/db?sslpassword=***&password=***");
    EXPECT_EQ(bench::without_password("postgresql://me:se?cret@host/db"), "postgresql://me:***@host/db");
    EXPECT_EQ(bench::without_password("postgresql://me:se?cret@host"), "postgresql://me:***@host");
    EXPECT_EQ(bench::without_password("postgresql://me:se/cr?et@host/db"), "postgresql://me:***@host/db");
    EXPECT_EQ(bench::without_password("postgresql://me:apassword=b@host/db?password=c"),
              "postgresql://me:***@host/db?password=***");
    for (const auto* url : {"postgresql://host:5432/db", "postgresql://host:5432/db?user=me@home",
                            "postgresql://me@host:5432/db", "postgresql://[::1]:5432/db?user=me@home"})
        EXPECT_EQ(bench::without_password(url), url);
    EXPECT_EQ(bench::without_password("a:b@c.db"), "a:b@c.db");
}

}  // namespace

}  // namespace loopbench::tests

// Tests that a history reads files of Google Benchmark with peculiarities that public reports show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/harness/history/entry.hpp"
#include "reports/model/json.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using reports::result_status;

std::string file_with(std::string_view context, std::string_view rows) {
    return fmt::format(R"({{"context":{{{}}},"benchmarks":[{}]}})", context, rows);
}

constexpr auto dated_context = R"("date":"2026-01-05T10:00:00+00:00","executable":"/x/bench")";

reports::report report_kept_of(const std::string& text) {
    return reports::read_json(bench::read_entry(text, "bench.json", {}).report, "kept");
}

struct row_case {
    const char* report;  // a public report of such a row
    const char* row;
    result_status status;
    const char* reason;
};

const row_case skipped_rows[] = {
    {"google/benchmark#963", R"({"name":"x","skipped":true,"skip_message":"no data set"})",
     result_status::unsupported, "no data set"},
    {"google/benchmark#1564",
     R"({"name":"x","error_occurred":true,"error_message":"no data set","iterations":0,"real_time":0})",
     result_status::failed, "no data set"},
    {"google/benchmark#2290", R"({"name":"x","skipped":true,"skip_message":"","real_time":0,"cpu_time":0})",
     result_status::unsupported, ""},
    {"google/benchmark#1976",
     R"({"name":"x","error_occurred":true,"error_message":"The benchmark didn't run"})",
     result_status::failed, "didn't run"},
    {"airspeed-velocity/asv#231", R"({"name":"x","skipped":true,"real_time":NaN})",
     result_status::unsupported, "skipped itself"},
    {"golang/go#14799", R"({"name":"x","skipped":true,"skip_message":"connection refused","iterations":0})",
     result_status::unsupported, "connection refused"},
    {"wasmx/fizzy#234",
     R"({"name":"x","error_occurred":true,"error_message":"execution failed","real_time":8.4})",
     result_status::failed, "execution failed"},
    {"google/benchmark#937",
     R"({"name":"x","run_type":"iteration","error_occurred":true,"error_message":"","iterations":1})",
     result_status::failed, ""},
    {"enfabrica/enkit#1209",
     R"({"name":"x","skipped":true,"skip_message":"For the powerful, crimes are those that others commit."})",
     result_status::unsupported, "crimes"},
    {"google/benchmark#217", R"({"name":"x","error_occurred":true})", result_status::failed,
     "without a message"},
    {"our own: unsupported", R"({"name":"x","error_occurred":true,"error_message":"unsupported: no AVX"})",
     result_status::unsupported, "no AVX"},
    {"our own: skipped is false", R"({"name":"x","skipped":false,"real_time":5})", result_status::ok, ""}};

TEST(public_files, a_skipped_benchmark_is_unsupported_and_an_error_is_a_failure) {
    for (const auto& [report, row, status, reason] : skipped_rows) {
        const auto report_of_row = report_kept_of(file_with(dated_context, row));
        const auto* const found = reports::find_result(report_of_row, "x", "bench");
        ASSERT_NE(found, nullptr) << report;
        EXPECT_EQ(found->status, status) << report;
        EXPECT_SAYS(found->reason.value_or(""), reason) << report;
    }
}

struct path_case {
    const char* report;
    const char* path;  // as it is in the JSON file
    const char* program = "bench.exe";
};

const path_case windows_paths[] = {
    {"google/benchmark#641", R"(D:\_Dev\secret\bench.exe)"},
    {"google/benchmark#652", R"(D:\\_Dev\\secret\\bench.exe)"},
    {"google/benchmark#567", R"(build\\secret\\bin\\bench.exe)"},
    {"google/benchmark#745", R"(c:\secret\hello\bench.exe)"},
    {"AlDanial/cloc#546", R"(d:\temp\secret\bench.exe)"},
    {"MediaArea/MediaConch_SourceCode#817", R"(C:\secret\bench.exe)"},
    {"correctcomputation/checkedc-clang#619", R"(C:\Users\secret\bench.exe)"},
    {"WebAssembly/wabt#235", R"(C:\\Users\\secret\\bench.exe)"},
    {"gastownhall/gastown#3250", R"(C:\tools\secret\bench.exe)"},
    {"spacemeshos/smrepl#55", R"(c:\new\secret\bench.exe)"},
    {"our own: slashes", R"(C:/Users/secret/bench.exe)"},
    {"our own: mixed", R"(C:\\Users/secret\\bench.exe)"},
    {"our own: a share", R"(\\\\server\\secret\\bench.exe)"},
    {"our own: a share without escapes", R"(\\server\secret\bench.exe)"},
    {"our own: a share whose backslashes look like escapes", R"(\\secret\build\bench.exe)"},
    {"our own: a relative path whose backslashes look like escapes", R"(secret\build\bench.exe)"},
    {"our own: a blank", R"(C:\\Program Files\\secret\\my bench.exe)", "my bench.exe"},
    {"our own: no folder", "bench.exe"}};

TEST(public_files, the_program_is_named_without_the_folders_of_a_windows_path) {
    for (const auto& [report, path, program] : windows_paths) {
        const auto context = fmt::format(R"("date":"2026-01-05T10:00:00+00:00","executable":"{}")", path);
        const auto found = report_kept_of(file_with(context, R"({"name":"x","real_time":5})"));
        EXPECT_EQ(found.results.at(0).contender, program) << report;
        EXPECT_FALSE(says(reports::write_json(found), "secret")) << report;
    }
}

struct date_case {
    const char* report;
    const char* date;
    const char* utc = "";      // the date of the entry, or empty if the user has to state it
    const char* assumed = "";  // the date with --assume-utc, or empty if the file's date cannot be read
};

const date_case printed_dates[] = {
    {"google/benchmark#825", "06/02/19 12:10:41"},
    {"google/benchmark#965", "2020-05-19T10:11:12-07:00", "2020-05-19T17:11:12Z"},
    {"google/benchmark#567", "05/06/18 00:57:53"},
    {"tarantool/tarantool#10219", "2024-07-16 11:51:59", "", "2024-07-16T11:51:59Z"},
    {"google/benchmark#112", "2015-03-31 17:53:04", "", "2015-03-31T17:53:04Z"},
    {"google/benchmark#1479", "2022-09-01T17:02:36-04:00", "2022-09-01T21:02:36Z"},
    {"google/benchmark#2039", "2025-09-12T13:38:31+00:00", "2025-09-12T13:38:31Z"},
    {"google/swift-benchmark#24", "2020-05-14T18:19:03Z", "2020-05-14T18:19:03Z"},
    {"BenchBox-dev/BenchBox#1025", "2026-07-07T10:00:00", "", "2026-07-07T10:00:00Z"},
    {"conbench/conbench#534", "2022-12-07 16:47"},
    {"our own: Google Benchmark's manual", "2015/03/17-18:40:25"},
    {"our own: none", ""}};

TEST(public_files, a_date_without_a_time_zone_is_never_guessed) {
    for (const auto& [report, date, utc, assumed] : printed_dates) {
        SCOPED_TRACE(report);
        const auto text = file_with(fmt::format(R"("date":"{}","executable":"bench")", date),
                                    R"({"name":"x","real_time":5})");
        const auto read = [&](const bench::date_rule& rule) {
            return bench::read_entry(text, "bench.json", {}, rule).date;
        };
        const auto complaint = complaint_of<reports::format_error>([&] { EXPECT_EQ(read({}), utc); });
        EXPECT_EQ(complaint.empty(), std::string_view{utc} != "") << complaint;
        if (!complaint.empty()) {
            EXPECT_SAYS(complaint, "--date");
            EXPECT_EQ(read({.date = "2026-01-02T03:04:05Z"}), "2026-01-02T03:04:05Z");
        }
        if (std::string_view{assumed} != "") {
            EXPECT_EQ(read({.assume_utc = true}), assumed);
        }
    }
}

struct names_case {
    const char* report;
    const char* rows;
    std::vector<std::pair<const char*, double>> results;
};

const std::vector<names_case> equal_names{
    {"Bodigrim/tasty-bench#9",
     R"({"name":"map","real_time":217,"family_index":0},{"name":"map","real_time":52,"family_index":1})",
     {{"map/#1/2", 217}, {"map/#2/2", 52}}},
    {"haskell/containers#621",
     R"({"name":"union","real_time":6,"family_index":4},{"name":"union","real_time":7,"family_index":9},
        {"name":"unions","real_time":8,"family_index":5})",
     {{"union/#1/2", 6}, {"union/#2/2", 7}, {"unions", 8}}},
    {"llvm/llvm-project#215676",
     R"({"name":"sort/8","real_time":1,"family_index":0,"per_family_instance_index":0},
        {"name":"sort/64","real_time":2,"family_index":0,"per_family_instance_index":1},
        {"name":"sort/8","real_time":3,"family_index":1,"per_family_instance_index":0})",
     {{"sort/8/#1/2", 1}, {"sort/64", 2}, {"sort/8/#2/2", 3}}},
    {"bpftrace/bpftrace#4390",
     R"({"name":"my_bench","real_time":1,"family_index":2},{"name":"my_bench","real_time":9,"family_index":0})",
     {{"my_bench/#1/2", 9}, {"my_bench/#2/2", 1}}},
    {"ordo-one/benchmark#20",
     R"({"name":"x","real_time":1,"family_index":0},{"name":"x","real_time":2,"family_index":1},
        {"name":"x","real_time":3,"family_index":2})",
     {{"x/#1/3", 1}, {"x/#2/3", 2}, {"x/#3/3", 3}}},
    {"ocaml-multicore/multicore-bench#29",
     R"({"name":"x","real_time":4,"family_index":0},{"name":"x","real_time":4,"family_index":1})",
     {{"x/#1/2", 4}, {"x/#2/2", 4}}},
    {"google/benchmark#599",
     R"({"name":"NOP","real_time":1,"family_index":0},{"name":"NOP/threads:2","real_time":2,"family_index":0},
        {"name":"NOP/repeats:3","real_time":3,"family_index":1})",
     {{"NOP", 1}, {"NOP/threads:2", 2}, {"NOP/repeats:3", 3}}},
    {"our own: repetitions of both",
     R"({"name":"x","real_time":1,"family_index":0,"repetition_index":0},
        {"name":"x","real_time":3,"family_index":0,"repetition_index":1},
        {"name":"x","real_time":5,"family_index":1,"repetition_index":0},
        {"name":"x","real_time":7,"family_index":1,"repetition_index":1})",
     {{"x/#1/2", 2}, {"x/#2/2", 6}}},
    {"our own: repetitions in random order",
     R"({"name":"x","real_time":1,"family_index":0},{"name":"x","real_time":5,"family_index":1},
        {"name":"x","real_time":3,"family_index":0},{"name":"x","real_time":7,"family_index":1})",
     {{"x/#1/2", 2}, {"x/#2/2", 6}}},
    {"our own: without an index, before 1.5.4",
     R"({"name":"x","real_time":1,"repetition_index":0},{"name":"x","real_time":5,"repetition_index":0})",
     {{"x/#1/2", 1}, {"x/#2/2", 5}}}};

TEST(public_files, benchmarks_with_equal_names_are_never_pooled) {
    for (const auto& [report, rows, results] : equal_names) {
        const auto found = report_kept_of(file_with(dated_context, rows));
        EXPECT_EQ(found.results.size(), results.size()) << report;
        for (const auto& [name, time] : results) {
            const auto* const item = reports::find_result(found, name, "bench");
            ASSERT_NE(item, nullptr) << report << ": " << name;
            EXPECT_EQ(item->median, time) << report << ": " << name;
        }
    }
}

struct field_case {
    const char* report;
    const char* context;
    const char* fields;  // after the row's own fields, as Google Benchmark writes counters
};

/// Counters and context entries with the names of fields.
const field_case names_of_fields[] = {
    {"google/benchmark#1137", R"(,"date":"mine")", ""},
    {"google/benchmark#1127", R"(,"executable":"mine","num_cpus":"many")", ""},
    {"google/benchmark#525", R"(,"caches":"none","host_name":"mine","library_version":"mine")", ""},
    {"google/benchmark#989", "", R"(,"cycles":2283850203,"cpu_time":9)"},
    {"google/benchmark#397", "", R"(,"real_time":9,"iterations":100)"},
    {"google/benchmark#1401", "", R"(,"repetitions":5,"repetition_index":3,"threads":7)"},
    {"google/benchmark#262", "", R"(,"family_index":4,"per_family_instance_index":4)"},
    {"google/benchmark#616", "", R"(,"base_name":4,"id":4,"family":4,"run_name":4)"},
    {"google/benchmark#830", "", R"(,"time_unit":4,"run_type":4,"aggregate_name":4,"label":4)"},
    {"johnmcfarlane/fixed_point#18", "", R"(,"big_o":4,"rms":4,"real_coefficient":4,"cpu_coefficient":4)"},
    {"our own: errors", "", R"(,"error_occurred":1,"error_message":1,"skipped":1,"skip_message":1)"},
    {"our own: metrics", "", R"(,"time":4,"cpu":5,"name":4)"}};

TEST(public_files, a_counter_or_context_entry_with_the_name_of_a_field_changes_no_result) {
    for (const auto& [report, context, more] : names_of_fields) {
        const auto found = report_kept_of(file_with(
            std::string{dated_context} + context,
            fmt::format(R"({{"name":"x","run_name":"x","run_type":"iteration","iterations":8,"real_time":5,)"
                        R"("cpu_time":5,"time_unit":"ns"{}}})",
                        more)));
        const auto* const item = reports::find_result(found, "x", "bench");
        ASSERT_NE(item, nullptr) << report;
        EXPECT_EQ(item->status, result_status::ok) << report;
        EXPECT_EQ(item->median, 5) << report;
        EXPECT_EQ(reports::find_result(found, "x", "bench", "cpu")->median, 5) << report;
        EXPECT_EQ(found.where.date, "2026-01-05T10:00:00Z") << report;
    }
}

}  // namespace

}  // namespace loopbench::tests

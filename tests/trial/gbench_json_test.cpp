// Tests the parser for the output of contenders, whose non-finite numbers are not valid JSON.
#include "bench/harness/trial/gbench_json.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using bench::as_valid_json;
using bench::parse_gbench_json;

bench::gbench_row only_row(const std::string& fields) {
    const auto output = parse_gbench_json(R"({"benchmarks":[{"name":"yield",)" + fields + "}]}");
    EXPECT_EQ(output.rows.size(), 1U);
    return output.rows.at(0);
}

std::string complaint(const std::string& text) {
    return complaint_of<bench::gbench_error>([&] { parse_gbench_json(text); });
}

TEST(gbench_json, times_are_converted_from_their_unit) {
    EXPECT_EQ(only_row(R"("real_time":1.5)").real_time_ns, 1.5);
    EXPECT_EQ(only_row(R"("real_time":1.5,"time_unit":"ns")").real_time_ns, 1.5);
    EXPECT_EQ(only_row(R"("real_time":1.5,"time_unit":"us")").real_time_ns, 1500);
    EXPECT_EQ(only_row(R"("real_time":1.5,"time_unit":"ms")").real_time_ns, 1.5e6);
    EXPECT_EQ(only_row(R"("real_time":1.5,"time_unit":"s")").real_time_ns, 1.5e9);
    EXPECT_EQ(complaint(R"({"benchmarks":[{"name":"a","time_unit":"h"}]})"),
              "the program printed the unknown time_unit \"h\"");
}

TEST(gbench_json, exactly_the_numbers_of_a_row_become_counters) {
    const auto row = only_row(R"("items_per_second":5,"late_p50":-2.5,"label":"x")");
    EXPECT_EQ(row.counters.at("items_per_second"), 5);
    EXPECT_EQ(row.counters.at("late_p50"), -2.5);
    EXPECT_FALSE(row.counters.contains("label"));
}

TEST(gbench_json, unquoted_words_for_non_finite_numbers_become_absent_values) {
    const auto row = only_row("\"real_time\":NaN,\"a\": -NaN,\"b\":Infinity,\n\"c\":-Infinity,\"d\":1");
    EXPECT_FALSE(row.real_time_ns);
    for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(row.counters.at(name), std::nullopt) << name;
    EXPECT_EQ(row.counters.at("d"), 1);
}

// Google Benchmark before 1.5 printed the words of the C library (google/benchmark#784).
TEST(gbench_json, the_words_of_the_c_library_for_non_finite_numbers_become_absent_values) {
    const auto row = only_row(R"("real_time":1,"a":nan,"b":-nan,"c": inf,"d":-inf,"label":"inf, nan")");
    for (const auto* name : {"a", "b", "c", "d"}) EXPECT_EQ(row.counters.at(name), std::nullopt) << name;
}

TEST(gbench_json, words_for_non_finite_numbers_inside_quoted_texts_are_unchanged) {
    for (const std::string text : {R"("NaN")", R"("a \" NaN")", R"("\\")", R"("x -Infinity \\\" NaN y")"})
        EXPECT_EQ(as_valid_json(text), text);
    EXPECT_EQ(as_valid_json(R"(["\\",NaN,"NaN",-Infinity])"), R"(["\\",null,"NaN",null])");
    EXPECT_EQ(as_valid_json("\"unfinished \\"), "\"unfinished \\");
}

// Before 1.5, texts had no escapes: google/benchmark#745.
TEST(gbench_json, backslashes_that_escape_nothing_are_kept) {
    for (const auto& [printed, valid] : std::vector<std::pair<std::string, std::string>>{
             {R"("executable": "D:\\_Dev\\bench.exe")", R"("executable": "D:\\_Dev\\bench.exe")"},
             {R"("executable": "D:\_Dev\new\bench.exe")", R"("executable": "D:\\_Dev\\new\\bench.exe")"},
             {R"("executable": "C:\users\me\bench.exe")", R"("executable": "C:\\users\\me\\bench.exe")"},
             {R"("label": "a:\nb\u00e9")", R"("label": "a:\nb\u00e9")"},
             {R"("error_message": "no \"file\" c:\hello")", R"("error_message": "no \"file\" c:\\hello")"}})
        EXPECT_EQ(as_valid_json(printed), valid);
}

// Before 1.4.2, paths had no escapes either: google/benchmark#641.
TEST(gbench_json, the_program_is_the_file_name_even_if_all_backslashes_look_like_escapes) {
    for (const auto* path :
         {R"(C:\new\bench.exe)", R"(build\bench.exe)", R"(bin\release\bench.exe)", R"(\\nas\build\bench.exe)",
          R"(C:\/tools\/bench.exe)", R"(tools\bench.exe)", R"(build\\bench.exe)"})
        for (const std::string value : {"5", "NaN"}) {
            const auto output =
                parse_gbench_json(R"({"context":{"executable":")" + std::string{path} +
                                  R"("},"benchmarks":[{"name":"a","real_time":)" + value + "}]}");
            EXPECT_EQ(output.program, "bench.exe") << path;
        }
}

TEST(gbench_json, valid_json_is_never_changed) {
    const std::string text = R"({"context":{"note":["executable","C:\new"]},"benchmarks":[]})";
    EXPECT_EQ(parse_gbench_json(text).context["note"][1], "C:\new");
    EXPECT_EQ(bench::read_corrected(text, [](std::string_view valid) { return valid.data(); }), text.data());
}

// Before 1.2: google/benchmark#300 and #379.
TEST(gbench_json, a_percent_sign_after_a_number_is_ignored) {
    for (const auto* rms : {"2%", "2.5e-03%", "nan%", "2% ", "2%\r\n", R"(2%,"x":[1%])"}) {
        const auto output = parse_gbench_json(fmt::format(
            R"({{"benchmarks":[{{"name":"a","real_time":5}},{{"name":"a_RMS","rms": {}}}]}})", rms));
        ASSERT_EQ(output.rows.size(), 1U) << rms;
        EXPECT_EQ(output.rows[0].real_time_ns, 5) << rms;
    }
    EXPECT_EQ(as_valid_json(R"({"label":"12%"})"), R"({"label":"12%"})");
}

TEST(gbench_json, a_percent_sign_in_another_place_is_an_error) {
    constexpr auto row = R"({{"benchmarks":[{{"name":"a","real_time":{}}}]}})";
    for (const auto* number : {"1%2", "%1", "1%%", "1 %", "1%2%", "1%e5", "true%"})
        EXPECT_SAYS(complaint(fmt::format(row, number)), "invalid JSON") << number;
    EXPECT_SAYS(complaint(R"(%{"benchmarks":[]})"), "invalid JSON");
    // A percent sign does not move the column of a later error.
    EXPECT_SAYS(complaint(R"({"benchmarks":[{"rms":1%,"real_time":nope}]})"), "column 38");
}

TEST(gbench_json, a_row_with_an_error_contains_the_message_of_the_error) {
    EXPECT_EQ(only_row(R"("error_occurred":true,"error_message":"lost bytes")").error, "lost bytes");
    EXPECT_SAYS(only_row(R"("error_occurred":true)").error.value_or(""), "without a message");
    EXPECT_FALSE(only_row(R"("error_occurred":false,"error_message":"x")").error);
}

TEST(gbench_json, rows_of_aggregates_are_omitted) {
    const auto output = parse_gbench_json(
        R"({"benchmarks":[{"name":"a_mean","run_type":"aggregate"},{"name":"a","run_type":"iteration"}]})");
    ASSERT_EQ(output.rows.size(), 1U);
    EXPECT_EQ(output.rows[0].name, "a");
}

TEST(gbench_json, the_mean_represents_a_benchmark_that_shows_only_aggregates) {
    const auto output = parse_gbench_json(R"({"benchmarks":[
        {"run_name":"a","run_type":"aggregate","aggregate_name":"mean","real_time":2,"time_unit":"us"},
        {"run_name":"a","run_type":"aggregate","aggregate_name":"cv","real_time":0.1,"time_unit":"us"},
        {"run_name":"b","run_type":"aggregate","aggregate_name":"mean","real_time":7},
        {"run_name":"b","run_type":"iteration","real_time":8},
        {"run_name":"c","run_type":"aggregate","aggregate_name":"BigO","real_coefficient":1}]})");
    ASSERT_EQ(output.rows.size(), 2U);
    EXPECT_EQ(output.rows[0].real_time_ns, 8);
    EXPECT_EQ(output.rows[1].name, "a");
    EXPECT_EQ(output.rows[1].real_time_ns, 2000);
}

// Before Google Benchmark 1.5, only their names marked aggregates (google/benchmark#658).
TEST(gbench_json, aggregates_are_recognized_by_their_names_if_no_run_type_marks_them) {
    const auto output = parse_gbench_json(R"({"benchmarks":[
        {"name":"sort","real_time":1},{"name":"sort","real_time":3},
        {"name":"sort_mean","real_time":2},{"name":"sort_median","real_time":2},{"name":"sort_stddev","real_time":1},
        {"name":"old","real_time":4},{"name":"old_mean","real_time":4},{"name":"old_stddev","real_time":1},
        {"name":"only_mean","real_time":5},{"name":"only_median","real_time":5},{"name":"only_stddev","real_time":1},
        {"name":"arithmetic_mean","real_time":7},{"name":"arithmetic_stddev","real_time":8},
        {"name":"fit","real_time":1},{"name":"fit_mean","real_time":2,"iterations":10},
        {"name":"fit_stddev","real_time":3,"iterations":20},
        {"name":"sort_BigO","cpu_coefficient":1,"real_coefficient":1,"big_o":"N"},{"name":"sort_RMS","rms":0.1}]})");
    std::vector<std::pair<std::string, double>> found;
    for (const auto& row : output.rows) found.emplace_back(row.name, row.real_time_ns.value());
    EXPECT_EQ(found, (std::vector<std::pair<std::string, double>>{{"sort", 1},
                                                                  {"sort", 3},
                                                                  {"old", 4},
                                                                  {"arithmetic_mean", 7},
                                                                  {"arithmetic_stddev", 8},
                                                                  {"fit", 1},
                                                                  {"fit_mean", 2},
                                                                  {"fit_stddev", 3},
                                                                  {"only", 5}}));
}

TEST(gbench_json, a_benchmark_that_shows_only_aggregates_without_a_mean_is_unsupported) {
    for (const std::string others : {"", R"({"name":"b","real_time":1},)"}) {
        const auto output = parse_gbench_json(R"({"benchmarks":[)" + others + R"(
            {"name":"a_cv","run_name":"a","run_type":"aggregate","aggregate_name":"cv","real_time":0.1}]})");
        ASSERT_EQ(output.rows.size(), others.empty() ? 1U : 2U);
        EXPECT_EQ(output.rows.back().name, "a");
        EXPECT_SAYS(output.rows.back().error.value_or(""), "unsupported: ");
    }
}

TEST(gbench_json, each_benchmark_with_only_aggregates_has_its_own_mean_although_names_are_equal) {
    const auto mean_of_push = [](int time) {
        return fmt::format(
            R"({{"name":"push_mean","run_name":"push","run_type":"aggregate","aggregate_name":"mean","real_time":{}}},
               {{"name":"push_cv","run_name":"push","run_type":"aggregate","aggregate_name":"cv","real_time":0.1}})",
            time);
    };
    const auto output =
        parse_gbench_json(fmt::format(R"({{"benchmarks":[{},{}]}})", mean_of_push(2), mean_of_push(9)));
    ASSERT_EQ(output.rows.size(), 2U);
    EXPECT_EQ(output.rows[0].real_time_ns, 2);
    EXPECT_EQ(output.rows[1].real_time_ns, 9);
    EXPECT_NE(output.rows[0].instance, output.rows[1].instance);
}

// Google Benchmark 1.5.1 to 1.5.3 prints no index of the benchmark.
TEST(gbench_json, benchmarks_with_equal_names_are_told_apart_by_the_index_of_the_repetition) {
    const auto output = parse_gbench_json(R"({"benchmarks":[
        {"name":"push","repetition_index":0,"real_time":1},{"name":"push","repetition_index":1,"real_time":2},
        {"name":"push_mean","run_name":"push","run_type":"aggregate","aggregate_name":"mean","real_time":1.5},
        {"name":"push","repetition_index":0,"real_time":8},{"name":"push","repetition_index":1,"real_time":9},
        {"name":"push_mean","run_name":"push","run_type":"aggregate","aggregate_name":"mean","real_time":8.5}]})");
    std::vector<std::optional<double>> instances;
    for (const auto& row : output.rows) instances.push_back(row.instance);
    EXPECT_EQ(instances, (std::vector<std::optional<double>>{{}, {}, 1, 1}));
}

// A program can set a global locale (apache/logging-log4cxx#348).
TEST(gbench_json, the_error_for_numbers_of_a_locale_names_the_number_and_the_remedy) {
    for (const auto* number : {"1,234,567", "1.234.567", "1'234", "9,5e+01"}) {
        const auto said =
            complaint(fmt::format(R"({{"benchmarks":[{{"name":"a","iterations": {}}}]}})", number));
        EXPECT_SAYS(said, number);
        EXPECT_SAYS(said, "LC_ALL=C");
    }
    EXPECT_EQ(complaint(R"({"benchmarks":[{"iterations": 1.234)").find("LC_ALL"), std::string::npos);
    std::string long_number = R"({"benchmarks":[{"iterations": 1)";
    for (int i = 0; i < 300'000; ++i) long_number += ",234";
    EXPECT_SAYS(complaint(long_number), "LC_ALL=C");
}

TEST(gbench_json, a_benchmark_that_skips_itself_is_unsupported_and_states_the_reason) {
    EXPECT_EQ(only_row(R"("skipped":true,"skip_message":"no AVX")").error, "unsupported: no AVX");
    EXPECT_SAYS(only_row(R"("skipped":true)").error.value_or(""), "unsupported: ");
    EXPECT_FALSE(only_row(R"("skipped":false)").error);
}

// Google Benchmark writes its own fields before the counters. A counter `real_time` once replaced the
// measured time.
TEST(gbench_json, a_counter_with_the_name_of_a_field_is_ignored_and_reported) {
    const auto output = parse_gbench_json(
        R"({"context":{"date":"2026-01-01","date":"mine"},"benchmarks":[)"
        R"({"name":"decode","real_time":7,"cpu_time":6,"real_time":3,"cpu_time":4,"bytes":5}]})");
    EXPECT_EQ(output.rows[0].real_time_ns, 7);
    EXPECT_EQ(output.rows[0].cpu_time_ns, 6);
    EXPECT_EQ(output.rows[0].counters.at("bytes"), 5);
    EXPECT_EQ(output.context.at("ignored_counters"), (nlohmann::json{"cpu_time", "real_time"}));
    EXPECT_EQ(output.context.at("date"), "2026-01-01");
}

TEST(gbench_json, the_unit_of_the_minimum_time_depends_on_the_library) {
    const auto unit = [](const char* context) {
        return bench::unit_of_min_time(nlohmann::ordered_json::parse(context));
    };
    EXPECT_EQ(unit(R"({"json_schema_version":1,"library_version":"v1.9.1"})"), "s");
    EXPECT_EQ(unit(R"({"library_build_type":"release"})"), "");
}

TEST(gbench_json, the_context_is_kept_without_the_host_name_and_the_path) {
    const auto output = parse_gbench_json(
        R"({"context":{"host_name":"secret","executable":"/home/me/x","library":"x","caches":[]},)"
        R"("benchmarks":[]})");
    EXPECT_FALSE(output.context.contains("host_name"));
    EXPECT_FALSE(output.context.contains("executable"));
    EXPECT_EQ(output.context.at("library"), "x");
    EXPECT_TRUE(output.context.at("caches").is_array());
}

TEST(gbench_json, invalid_output_is_refused_with_the_position_and_the_first_bytes) {
    for (const auto* part : {"line 1, column 1: ", "\"hello world\""})
        EXPECT_SAYS(complaint("hello\nworld"), part);
    EXPECT_SAYS(complaint("{\n \"a\": nope}"), "line 2, column 7");
    EXPECT_SAYS(complaint(R"({"benchmarks":[)"), "incomplete JSON");
    EXPECT_EQ(complaint(" \n"), "the program printed nothing");
    EXPECT_SAYS(complaint("[]"), "\"benchmarks\"");
    EXPECT_SAYS(complaint(R"({"benchmarks":3})"), "\"benchmarks\"");
    EXPECT_EQ(complaint(R"({"benchmarks":[3]})"),
              "the program printed a benchmark that is not a JSON object");
    EXPECT_NE(complaint(R"({"benchmarks":[{"real_time":1e999}]})"), "");
}

TEST(gbench_json, an_object_with_too_many_keys_is_refused_before_it_is_read_completely) {
    std::string keys;
    for (int i = 0; i < 10'001; ++i) keys += fmt::format("\"k{}\":0,", i);
    EXPECT_SAYS(complaint(R"({"benchmarks":[{)" + keys + R"("name":"a"}]})"),
                "an object has more than 10000 keys");
}

TEST(gbench_json, a_counter_with_the_name_of_a_field_does_not_change_the_time) {
    EXPECT_EQ(only_row(R"("real_time":1,"iterations":7,"iterations":3)").real_time_ns, 1);
}

TEST(gbench_json, a_long_or_unprintable_output_is_quoted_in_a_few_plain_characters) {
    const auto text = complaint("\x1b[2J" + std::string(1'000'000, 'x'));
    EXPECT_LT(text.size(), 200U);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_LT(complaint(R"({"benchmarks":[{"real_time":1)" + std::string(1'000'000, '0') + "}]}").size(),
              200U);
}

TEST(gbench_json, deep_nesting_is_refused_before_it_overflows_the_stack) {
    const auto nested = [](std::size_t levels) {
        return R"({"benchmarks":[],"context":{"caches":)" + std::string(levels, '[') +
               std::string(levels, ']') + "}}";
    };
    EXPECT_EQ(complaint(nested(62)), "");
    for (const std::size_t levels : {63U, 1'000'000U})
        EXPECT_SAYS(complaint(nested(levels)),
                    "line 1, column 100: the text is nested more than 64 levels deep")
            << levels;
    EXPECT_NE(complaint(std::string(1'000'000, '[')), "");
}

}  // namespace

}  // namespace loopbench::tests

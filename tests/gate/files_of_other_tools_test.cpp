// Tests `compare`, `report` and `check` with files that other programs wrote, as public reports show them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>

#include "reports/base/posix_io.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/sample_report.hpp"

namespace loopbench::tests {

namespace {

struct other_file {
    const char* report;  // a public report of such a file
    std::string content;
    const char* found;                     // what `compare` and `report` say about it
    const char* remedy = nullptr;          // what they advise
    const char* found_by_check = nullptr;  // if `check` says something else about it
};

constexpr auto not_a_baseline = "not a baseline file";

const std::string bench_context =
    R"({"context":{"date":"2026-02-01T10:00:00+00:00","executable":"./bench","num_cpus":4,"caches":[]},)";
const std::string sort_row = R"({"name":"sort","iterations":9,"real_time":5,"cpu_time":5,"time_unit":"ns"})";
const std::string bench_output = bench_context + "\"benchmarks\":[" + sort_row + "]}";

const std::vector<other_file> other_files{
    {"google/benchmark#794",
     "2019-04-13 17:34:34\nRunning /x/exe\nRun on (8 X 4000 MHz CPU s)\nCPU Caches:\n  L1 Data 32K (x4)\n"
     "name,iterations,real_time,cpu_time,time_unit\n\"sort\",9,1,1,ns\n",
     "CSV output of a Google Benchmark", "--benchmark_format=json"},
    {"sourcemeta/blaze#139",
     "2024-11-05T10:00:00+00:00\nRunning ./bench\n---\nBenchmark      Time     CPU   Iterations\n---\nsort 1 "
     "ns",
     "console output", "--benchmark_format=json"},
    {"ionelmc/pytest-benchmark#81", R"({"machine_info":{},"benchmarks":[{"name":"a","stats":{"min":1}}]})",
     "the output of pytest-benchmark", "history add"},
    {"benchmark-action/github-action-benchmark#162", R"([{"name":"a","unit":"ms","value":1}])",
     "is a JSON array", "report.json"},
    {"benchmark-action/github-action-benchmark#55",
     "~~~\nbenchmark is a Catch v2.13.4 host application.\n---\nMinConf benchmarks\n", "is not JSON",
     "the JSON of a Google Benchmark", not_a_baseline},
    {"benchmark-action/github-action-benchmark#308", "no_delay   time:   [6.2 s 6.4 s 6.6 s]\n",
     "is not JSON", "the JSON of a Google Benchmark", not_a_baseline},
    {"google/swift-benchmark#24", R"({"context":{},"results":[{"name":"a","real_time":1}]})",
     "is the JSON of an unknown program", "expected a report.json", not_a_baseline},
    {"psf/pyperf#4", R"({"benchmarks":{"call":{"runs":[[0.27]]}}})", "without the list \"benchmarks\"",
     "write it again", "the output of a Google Benchmark program"},
    {"sharkdp/hyperfine#577", R"({"results":[{"command":"sleep 1","mean":1,"times":[1]}]})",
     "an export of hyperfine", "compare -- "},
    {"our own: data.js", R"(window.BENCHMARK_DATA = {"lastUpdate":1,"entries":{}})",
     "data.js of github-action-benchmark", "history add"},
    {"nubo-db/dynoxide#192", R"({"reason":"benchmark-complete","id":"a","mean":{"estimate":1}})",
     "the output of criterion", "history add"},
    {"our own: Bencher's metrics", R"({"a":{"latency":{"value":1}}})", "is the JSON of an unknown program",
     "expected a report.json", not_a_baseline},
    {"our own: the word schema within the JSON of another program", R"({"results":{"schema":"x"}})",
     "is the JSON of an unknown program", "expected a report.json", not_a_baseline},
    {"our own: text in braces", "{fmt} version 9\n", "is not valid JSON", "expected a report.json",
     not_a_baseline},
    {"our own: JUnit", "<?xml version=\"1.0\"?>\n<testsuites/>\n", "is XML or HTML", "report.json"},
    {"our own: a page", "<!doctype html><title>x</title>", "is XML or HTML", "report.json"}};

/// Files that can be the user's own reports or baseline files after the remedy.
const std::vector<other_file> packed_files{
    {"our own: gzip", "\x1F\x8B\x08", "is compressed with gzip", "gzip -dc"},
    {"our own: zstd", "\x28\xB5\x2F\xFD", "is compressed with zstd", "zstd -dc"},
    {"our own: xz",
     "\xFD"
     "7zXZ",
     "is compressed with xz", "xz -dc"},
    {"our own: zip", "PK\x03\x04", "is a zip archive", "unzip"},
    {"our own: UTF-16 of PowerShell", "\xFF\xFE{", "is UTF-16 text", "iconv"}};

/// Files that only `compare` and `report` refuse, because they are incomplete or damaged.
const std::vector<other_file> damaged_files{
    {"rjwalters/vibesql#1294", bench_output.substr(0, bench_output.size() - 20), "incomplete",
     "--benchmark_out"},
    {"Ultimate-Multisite/ultimate-multisite#268", bench_output + "Results saved to: x.json\n", "invalid",
     "write it again"},
    {"google/benchmark#1648", bench_output + "\n" + bench_output, "several outputs",
     "--benchmark_repetitions"},
    {"apache/logging-log4cxx#348", bench_context + R"("benchmarks":[{"name":"a","real_time":1,234,567}]})",
     "locale", "LC_ALL=C"},
    {"TritonDataCenter/smartos-live#668",
     bench_context + R"("benchmarks":[{"name":"a","real_time":1,5e+00}]})", "locale", "LC_ALL=C"},
    {"open-telemetry/opentelemetry-cpp#2620", "-- LOG(0): Value passed\n" + bench_output,
     "the program printed invalid JSON", "--benchmark_out=FILE"},
    {"matepek/vscode-catch2-test-adapter#253", "FileDriver cannot be open.\n" + bench_output,
     "the program printed invalid JSON", "--benchmark_out=FILE"},
    {"our own: a brace before the JSON", "{\n" + bench_output, "other text before its JSON",
     "--benchmark_out=FILE"},
    {"our own: text in braces before the JSON", "{fmt} version 9\n" + bench_output,
     "other text before its JSON", "--benchmark_out=FILE"},
    {"our own: a file that ends within its context", bench_context.substr(0, bench_context.size() - 20),
     "incomplete", "--benchmark_out=FILE"}};

/// Files with errors of old versions of Google Benchmark, which can be read.
const std::vector<other_file> readable_files{
    {"google/benchmark#300",
     bench_context + "\"benchmarks\":[" + sort_row + R"(,{"name":"sort_RMS","rms": 12%}]})", ""},
    {"google/benchmark#379",
     bench_context + "\"benchmarks\":[" + sort_row +
         R"(,{"name":"sort_BigO","cpu_coefficient":6,"real_coefficient":6,"big_o":"N","time_unit":"ns"}]})",
     ""},
    {"google/benchmark#784",
     bench_context + "\"benchmarks\":[" + sort_row.substr(0, sort_row.size() - 1) + R"(,"x":-nan}]})", ""},
    {"google/benchmark#641",
     R"({"context":{"executable":"D:\_Dev\build\bench.exe"},"benchmarks":[)" + sort_row + "]}", ""},
    {"google/benchmark#745",
     bench_context + "\"benchmarks\":[" + sort_row +
         R"(,{"name":"x","error_occurred":true,"error_message":"no c:\hello"}]})",
     ""},
    {"google/benchmark#567",
     R"({"context":{"date":"05/06/18 00:57:53","executable":"build\\nop.exe"},"benchmarks":[)" + sort_row +
         "]}",
     ""},
    {"google/benchmark#2290",
     bench_context + "\"benchmarks\":[" + sort_row +
         R"(,{"name":"x","skipped":true,"skip_message":"","iterations":0,"real_time":0,"cpu_time":0}]})",
     ""},
    {"google/benchmark#1401",
     bench_context + "\"benchmarks\":[" + sort_row +
         R"(,{"name":"sort_mean","run_name":"sort","run_type":"aggregate","aggregate_name":"mean",)"
         R"("iterations":5,"real_time":5,"cpu_time":5,"time_unit":"ns"}]})",
     ""},
    {"our own: no context", R"({"benchmarks":[)" + sort_row + "]}", ""},
    {"our own: CRLF", std::regex_replace(bench_output, std::regex{","}, ",\r\n"), ""}};

class files_of_other_tools : public testing::Test {
protected:
    std::string file(const std::string& content) const {
        const auto path = loopbench.path("other").native();
        reports::write_file_atomically(path, content);
        return path;
    }

    /// Checks that the message mentions no option that the command lacks. Text in backquotes is a command: of
    /// loopbench, with its own options, or of another program.
    void check_options(const std::string& message, const std::string& command) {
        static const std::regex quoted{"`([^`]*)`"}, option{"--[a-z][-a-z]*"},
            program{"^loopbench ([a-z]+)( add)?"};
        for (std::sregex_iterator each{message.begin(), message.end(), quoted}, end; each != end; ++each) {
            const auto text = (*each)[1].str();
            std::smatch of;
            if (std::regex_search(text, of, program)) check_options(text, of[1].str() + of[2].str());
        }
        const auto rest = std::regex_replace(message, quoted, "");
        for (std::sregex_iterator each{rest.begin(), rest.end(), option}, end; each != end; ++each)
            if (const auto name = each->str(); name != "--benchmark") {
                EXPECT_TRUE(std::regex_search(help_of(command), std::regex{name + "(?![-a-z])"}))
                    << name << " is no option of " << command << ": " << message;
            }
    }

    const std::string& help_of(const std::string& command) {
        auto& help = helps_[command];
        if (help.empty()) {
            const auto part = command.find(' ');
            std::vector<std::string> words{command.substr(0, part)};
            if (part != std::string::npos) words.push_back(command.substr(part + 1));
            words.emplace_back("--help");
            help = loopbench(words).output;
        }
        return help;
    }

    /// Checks the message of a command that refuses a file.
    void expect_refusal(const std::vector<std::string>& words, const other_file& of, const char* found,
                        const char* remedy) {
        const auto ran = loopbench(words);
        EXPECT_EQ(ran.code, 2) << of.report << ran.output;
        EXPECT_SAYS(ran.error_tail, loopbench.path("other").native()) << of.report;
        EXPECT_SAYS(ran.error_tail, found) << of.report;
        EXPECT_SAYS(ran.error_tail, remedy) << of.report;
        check_options(ran.error_tail, words[0]);
    }

    loopbench_command loopbench;

private:
    std::map<std::string, std::string> helps_;
};

TEST_F(files_of_other_tools, compare_and_report_say_what_a_file_is_and_what_to_do) {
    for (const auto* all : {&other_files, &packed_files, &damaged_files})
        for (const auto& each : *all) {
            const auto path = file(each.content);
            expect_refusal({"compare", path, path}, each, each.found, each.remedy);
            expect_refusal({"report", path, "--format", "text"}, each, each.found, each.remedy);
        }
}

TEST_F(files_of_other_tools, check_says_that_the_file_is_no_baseline_file_and_leaves_it_unchanged) {
    for (const auto& each : other_files) {
        const auto path = file(each.content);
        const auto* const found = each.found_by_check != nullptr ? each.found_by_check : each.found;
        const std::vector<std::string> words{"check", "--against", path};
        expect_refusal(words, each, found, not_a_baseline);
        auto update = words;
        update.emplace_back("--update");
        expect_refusal(update, each, found, not_a_baseline);
        EXPECT_EQ(reports::read_file(path), each.content) << each.report;
    }
}

TEST_F(files_of_other_tools, check_never_advises_to_replace_a_packed_baseline_file) {
    for (const auto& each : packed_files) {
        const auto path = file(each.content);
        expect_refusal({"check", "--against", path}, each, each.found, each.remedy);
        expect_refusal({"check", "--update", "--against", path}, each, each.found, each.remedy);
        EXPECT_FALSE(says(loopbench({"check", "--against", path}).error_tail, "move it away")) << each.report;
    }
}

TEST_F(files_of_other_tools, check_reads_a_baseline_file_with_a_byte_order_mark) {
    const auto own = reports::read_file(LOOPBENCH_OWN_BASELINE);
    const auto failure = [&](const std::string& content) {
        return loopbench({"check", "--against", file(content), "--workload", "no-such-workload"}).error_tail;
    };
    EXPECT_SAYS(failure(own), "no-such-workload");
    EXPECT_EQ(failure("\xEF\xBB\xBF" + own), failure(own));
}

TEST_F(files_of_other_tools, check_refuses_them_as_reports) {
    for (const auto* all : {&other_files, &packed_files, &damaged_files})
        for (const auto& each : *all)
            expect_refusal({"check", "--against", LOOPBENCH_OWN_BASELINE, file(each.content)}, each,
                           each.found, each.remedy);
}

TEST_F(files_of_other_tools, a_baseline_file_that_cannot_be_read_is_a_usage_error) {
    const auto path = file(reports::read_file(LOOPBENCH_OWN_BASELINE));
    std::filesystem::resize_file(path, reports::file_bytes_max + 1);  // also unreadable for root
    for (const auto* option : {"--tier=counts", "--update"}) {
        const auto ran = loopbench({"check", "--against", path, option});
        EXPECT_EQ(ran.code, 2) << option << ran.error_tail;
        EXPECT_SAYS(ran.error_tail, path) << option;
    }
}

TEST_F(files_of_other_tools, files_of_old_versions_are_compared_and_shown) {
    for (const auto& each : readable_files) {
        const auto path = file(each.content);
        const auto ran = loopbench({"compare", path, path});
        EXPECT_SAYS(ran.output, "sort") << each.report << ran.error_tail;
        EXPECT_NE(ran.code, 2) << each.report << ran.error_tail;
        check_options(ran.error_tail, "compare");
        EXPECT_EQ(loopbench({"report", path, "--format", "text"}).code, 0) << each.report;
    }
}

TEST_F(files_of_other_tools, one_file_is_not_enough_for_a_comparison) {
    const auto ran = loopbench({"compare", file(bench_output)});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "NEW is required");
}

}  // namespace

}  // namespace loopbench::tests

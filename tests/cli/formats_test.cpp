// Tests that every command refuses a file with another format number, and changes no file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "bench/harness/cli/exit_code.hpp"
#include "bench/harness/gate/baseline.hpp"
#include "bench/harness/gate/calibration_file.hpp"
#include "bench/harness/machine/environment.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/file_formats.hpp"
#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

struct format_case {
    const char* name;
    reports::file_format format;
    const char* file;
    std::vector<const char*> commands;
    int code = bench::exit_usage;
    const char* named = file;
};

const std::vector<format_case> formats{
    {"report",
     reports::report_format,
     "out/report.json",
     {"report $out/report.json --format csv", "compare $out/report.json $folder/good.json",
      "check --against $folder/baseline.json $out/report.json",
      "history add $out/report.json --history $folder/history.db"}},
    {"journal",
     reports::journal_format,
     "out/journal.jsonl",
     {"report $out/journal.jsonl --format csv", "run --resume $out",
      "history add $out/journal.jsonl --history $folder/history.db"}},
    {"histograms",
     reports::histograms_format,
     "out/histograms.jsonl",
     {"report $out/report.json --format hgrm", "run --resume $out"}},
    {"baseline",
     reports::baseline_format,
     "baseline.json",
     {"check --against $folder/baseline.json $out/report.json",
      "check --update --against $folder/baseline.json $out/report.json"}},
    {"history",
     reports::history_format,
     "history.db",
     {"history list --history $folder/history.db",
      "history add $folder/good.json --history $folder/history.db",
      "run --workload yield --blocks 1 -o $folder/other --history=$folder/history.db"}},
    // A run continues if it cannot read one of the next two files. Without the calibration, it measures as
    // usual; without the histogram file, only the trial fails.
    {"calibration",
     reports::calibration_format,
     "state/loopbench/calibration.json",
     {"run --workload yield --blocks 1 -o $folder/other"},
     bench::exit_ok},
    {"histogram_file",
     reports::histogram_file_format,
     "side.json",
     {"run --workload yield --blocks 1 --verbose -o $folder/other"},
     bench::exit_tool_failed,
     "the contender's histogram file"},
};

constexpr auto histograms_of_a_trial =
    R"({{"schema": "{}", "version": "{}", "histograms": [{{"workload": "yield", "metric": "latency", "unit": "ns",
    "count": 1, "min": 1, "max": 1, "mean": 1, "buckets": [[1, 1, 1]]}}]}})";

class file_format : public testing::TestWithParam<format_case> {
protected:
    void SetUp() override {
        write("side.json", fmt::format(histograms_of_a_trial, reports::histogram_file_format.schema,
                                       bench::loopbench_version()));
        loopbench.add_contender("asio-epoll", fmt::format("cat '{}' > \"$LOOPBENCH_HISTOGRAM_FILE\"\n{}",
                                                          loopbench.path("side.json").native(), good_row));
        write("state/loopbench/calibration.json", bench::write_calibration({}, bench::read_environment()));
        bench::expectations expected;
        expected.counts = {{"yield", "asio-epoll", "syscalls", 1}};
        write("baseline.json", bench::write_baseline(expected));
        for (const auto* command : {"run --workload yield --blocks 1 -o $out",
                                    "report $out/report.json --format json -o $folder/good.json",
                                    "history add $folder/good.json --history $folder/history.db"}) {
            const auto ran = run(command);
            ASSERT_EQ(ran.code, 0) << ran.error_tail;
        }
    }

    void write(const char* name, const std::string& text) const {
        fs::create_directories(loopbench.path(name).parent_path());
        reports::write_file_atomically(loopbench.path(name), text);
    }

    bench::child_outcome run(const std::string& command) const {
        return loopbench.in_shell("XDG_STATE_HOME=$folder/state $loopbench " + command);
    }

    void renumber(const std::string& schema) const {
        const auto number = schema.substr(schema.rfind('/') + 1);
        if (GetParam().format.schema == reports::history_format.schema) {
            const auto changed = loopbench.in_shell(fmt::format(
                "python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
                "c.execute(\"UPDATE loopbench_schema SET version = {}\"); c.commit()' $folder/history.db",
                number));
            ASSERT_EQ(changed.code, 0) << changed.error_tail;
            return;
        }
        auto text = content_of(loopbench.path(GetParam().file));
        const auto at = text.find(GetParam().format.schema);
        ASSERT_NE(at, std::string::npos);
        write(GetParam().file, text.replace(at, GetParam().format.schema.size(), schema));
    }

    std::map<std::string, std::string> contents() const {
        std::map<std::string, std::string> all;
        for (const auto* name : {"out/report.json", "out/report.csv", "out/report.html", "out/journal.jsonl",
                                 "out/histograms.jsonl", "good.json", "baseline.json", "history.db",
                                 "side.json", "state/loopbench/calibration.json"})
            all[name] = content_of(loopbench.path(name));
        for (const auto& entry : fs::recursive_directory_iterator{loopbench.path("out")})
            all.try_emplace(entry.path().native());
        return all;
    }

    void expect_refusal(const std::string& schema, const std::string& remedy) const {
        renumber(schema);
        const auto before = contents();
        for (const auto* command : GetParam().commands) {
            const auto ran = run(command);
            EXPECT_EQ(ran.code, GetParam().code) << command << "\n" << ran.error_tail;
            const auto text = ran.output + ran.error_tail;
            for (const std::string_view part : {std::string_view{GetParam().named}, std::string_view{schema},
                                                GetParam().format.schema, std::string_view{remedy}})
                EXPECT_SAYS(text, part) << command;
            EXPECT_EQ(contents(), before) << command;
        }
    }

    loopbench_command loopbench;
};

std::string renumbered(const reports::file_format& format, int by) {
    if (format.schema == reports::report_format.schema && by < 0)
        return std::string{reports::first_report_schema};
    const auto digits = format.schema.rfind('/') + 1;
    return fmt::format("{}{}", format.schema.substr(0, digits),
                       std::stoi(std::string{format.schema.substr(digits)}) + by);
}

TEST_P(file_format, the_error_for_an_older_file_format_names_the_version_that_wrote_the_file) {
    expect_refusal(renumbered(GetParam().format, -1),
                   fmt::format("loopbench {}", bench::loopbench_version()));
}

TEST_P(file_format, the_error_for_a_newer_file_format_suggests_updating_loopbench) {
    expect_refusal(renumbered(GetParam().format, 1), "update loopbench");
}

void PrintTo(const format_case& tested, std::ostream* to) {
    *to << tested.format.schema;
}

INSTANTIATE_TEST_SUITE_P(each, file_format, testing::ValuesIn(formats),
                         [](const auto& tested) { return std::string{tested.param.name}; });

}  // namespace

}  // namespace loopbench::tests

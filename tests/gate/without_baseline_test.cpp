// Tests that no sentence speaks of ratios and verdicts if a report has none.
#include <gtest/gtest.h>

#include <array>

#include "tests/support/command_support.hpp"
#include "tests/support/sample_report.hpp"

namespace loopbench::tests {

namespace {

constexpr auto failing_row = "echo 'no device' >&2; exit 3";
constexpr auto unsupported_row =
    R"(row '"error_occurred": true, "error_message": "unsupported: no such instruction"')";
constexpr auto output_of_google_benchmark =
    R"({"context":{"date":"2026-02-01T10:00:00+00:00","executable":"./bench"},"benchmarks":[
        {"name":"sort","iterations":9,"real_time":5,"cpu_time":5,"time_unit":"ns"}]})";

struct lonely_case {
    const char* report;  // a public report of such a comparison
    const char* base;    // what the contender `base` does; null: it does not exist
    const char* next;
    std::vector<const char*> options;  // of `run`; empty: a file of Google Benchmark is shown
};

const std::vector<lonely_case> lonely_cases{
    {"tonybaloney/rich-bench#5", nullptr, good_row, {"--contender", "next"}},
    {"DigitalInBlue/Celero#32", nullptr, good_row, {"--contender", "next", "--baseline", "next"}},
    {"sharkdp/hyperfine#6", good_row, good_row, {"--contender", "base", "--baseline", "base"}},
    {"ionelmc/pytest-benchmark#165", good_row, good_row, {"--contender", "next"}},
    {"shotover/shotover-proxy#270", failing_row, good_row, {"--baseline", "base"}},
    {"emscripten-core/emscripten#27390", unsupported_row, good_row, {"--baseline", "base"}},
    {"Bodigrim/tasty-bench#28", good_row, failing_row, {"--baseline", "base"}},
    {"bheisler/criterion.rs#530", good_row, unsupported_row, {"--baseline", "base"}},
    {"nubo-db/dynoxide#192", failing_row, failing_row, {"--baseline", "base"}},
    {"conbench/conbench#334", unsupported_row, unsupported_row, {"--baseline", "base"}},
    {"askdba/myvector#114", nullptr, nullptr, {}}};

std::string visible_text(const std::string& page) {
    std::string text;
    for (std::size_t at = 0; at < page.size();) {
        auto end = page.find("<script", at);
        text += page.substr(at, end - at);
        if (end == std::string::npos) break;
        at = std::min(page.find("</script>", end), page.size());
    }
    return text;
}

constexpr std::array formats{"text", "screen", "markdown", "github", "junit", "html"};

/// Parts of the sentences that explain ratios.
constexpr std::array about_ratios{"A ratio above", "atio and verdict are", "significant difference is",
                                  "times as fast"};

std::vector<std::string> words_of_run(const loopbench_command& loopbench,
                                      const std::vector<const char*>& options) {
    std::vector<std::string> words{"run",        "--workload", "only",         "--blocks",
                                   "6",          "--min-time", "1ms",          "--pairing",
                                   "sequential", "-o",         loopbench.out()};
    words.insert(words.end(), options.begin(), options.end());
    if (options.front() == std::string_view{"--baseline"})
        words.insert(words.end(), {"--contender", "base", "--contender", "next"});
    return words;
}

TEST(without_baseline, no_format_explains_ratios_that_do_not_exist) {
    for (const auto& [report, base, next, options] : lonely_cases) {
        SCOPED_TRACE(report);
        loopbench_command loopbench;
        if (base != nullptr) loopbench.add_contender_of("only", "base", base);
        if (next != nullptr) loopbench.add_contender_of("only", "next", next);
        auto file = loopbench.path("google.json").native();
        if (options.empty()) {
            reports::write_file_atomically(file, output_of_google_benchmark);
        } else {
            const auto ran = loopbench(words_of_run(loopbench, options));
            file = loopbench.out() + "/report.json";
            ASSERT_TRUE(std::filesystem::exists(file)) << ran.error_tail;
        }
        for (const auto* format : formats) {
            const auto shown = loopbench({"report", file, "--format", format});
            ASSERT_EQ(shown.code, 0) << format << shown.error_tail;
            const auto text = visible_text(shown.output);
            for (const auto* part : about_ratios) EXPECT_FALSE(says(text, part)) << format << ": " << part;
            for (const auto* part : {"better than ,", "with , ", "against .", "against :"})
                EXPECT_FALSE(says(text, part)) << format << ": " << part;
        }
    }
}

/// Otherwise the test above could not fail if a legend got other words.
TEST(without_baseline, a_report_with_ratios_explains_them) {
    loopbench_command loopbench;
    for (const auto* name : {"base", "next"}) loopbench.add_contender_of("only", name, good_row);
    const auto ran = loopbench(words_of_run(loopbench, {"--baseline", "base"}));
    std::string shown;
    for (const auto* format : formats)
        shown +=
            visible_text(loopbench({"report", loopbench.out() + "/report.json", "--format", format}).output);
    for (const auto* part : about_ratios) EXPECT_SAYS(shown, part) << ran.error_tail;
}

}  // namespace

}  // namespace loopbench::tests

#include "bench/harness/history/readers/readers.hpp"

#include <algorithm>
#include <array>

namespace loopbench::bench {

namespace {

constexpr std::string_view follow =
    "add it to a history with `loopbench history add`, and see what changed with `loopbench history changes`";

// The first format that recognises a file reads it.
constexpr std::array formats{
    tool_format{.source = report_source::github_action_benchmark,
                .what = "the data.js of github-action-benchmark",
                .made_by = "github-action-benchmark",
                .instead = follow,
                .recognises = recognises_github_action_benchmark,
                .read = read_github_action_benchmark},
    tool_format{.source = report_source::criterion,
                .what = "the output of criterion",
                .made_by = "cargo criterion --message-format=json",
                .instead = follow,
                .recognises = recognises_criterion,
                .read = read_criterion,
                .recognises_folder = recognises_criterion_folder,
                .read_folder = read_criterion_folder},
    tool_format{.source = report_source::pytest_benchmark,
                .what = "the output of pytest-benchmark",
                .made_by = "pytest --benchmark-json FILE",
                .instead = follow,
                .recognises = recognises_pytest_benchmark,
                .read = read_pytest_benchmark},
    tool_format{.source = report_source::hyperfine,
                .what = "an export of hyperfine",
                .made_by = "hyperfine --export-json FILE",
                .instead =
                    "add it to a history with `loopbench history add --date DATE`, or measure two commands "
                    "with `loopbench compare -- 'COMMAND' 'COMMAND'`",
                .recognises = recognises_hyperfine,
                .read = read_hyperfine},
    tool_format{.source = report_source::google_benchmark,
                .what = "the output of a Google Benchmark program",
                .made_by = "PROGRAM --benchmark_out=FILE",
                .instead =
                    "compare two such files with `loopbench compare OLD.json NEW.json`, or measure both "
                    "programs with `loopbench compare OLD NEW`",
                .recognises = recognises_google_benchmark,
                .read = read_google_benchmark}};

}  // namespace

const tool_format* format_of_tool(std::string_view text) {
    const outline of{text};
    if (of.has_key("schema")) return nullptr;
    const auto* const found =
        std::ranges::find_if(formats, [&](const auto& each) { return each.recognises(of); });
    return found != formats.end() ? found : nullptr;
}

const tool_format* format_of_tool_folder(const std::filesystem::path& folder) {
    const auto* const found = std::ranges::find_if(formats, [&](const auto& each) {
        return each.recognises_folder != nullptr && each.recognises_folder(folder);
    });
    return found != formats.end() ? found : nullptr;
}

}  // namespace loopbench::bench

// The formats of other benchmark tools that a history reads. A new format is one reader file and one entry in
// readers.cpp.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "bench/harness/history/entry.hpp"
#include "bench/harness/history/readers/outline.hpp"
#include "bench/harness/history/readers/tool_run.hpp"

namespace loopbench::bench {

struct tool_format {
    report_source source;
    std::string_view what;     // completes "FILE is ..."
    std::string_view made_by;  // the command that writes such a file
    std::string_view instead;  // the remedy of a command that cannot use such a file
    bool (*recognises)(const outline& of);
    /// Returns all runs in the file. Throws reports::format_error.
    std::vector<tool_run> (*read)(std::string_view text);
    /// Both functions are null if the tool writes one file. Otherwise, they read the tool's folder.
    bool (*recognises_folder)(const std::filesystem::path& folder) = nullptr;
    std::vector<tool_run> (*read_folder)(const std::filesystem::path& folder) = nullptr;
};

/// Returns the format of the text, or nullptr if it is not the output of a known tool. Also recognises files
/// that are cut or invalid. Never takes loopbench's own files for another tool's.
const tool_format* format_of_tool(std::string_view text);

/// Returns the format of the folder, or nullptr if no known tool writes such a folder.
const tool_format* format_of_tool_folder(const std::filesystem::path& folder);

bool recognises_google_benchmark(const outline& of);
std::vector<tool_run> read_google_benchmark(std::string_view text);

bool recognises_hyperfine(const outline& of);
std::vector<tool_run> read_hyperfine(std::string_view text);

bool recognises_criterion(const outline& of);
std::vector<tool_run> read_criterion(std::string_view text);
bool recognises_criterion_folder(const std::filesystem::path& folder);
std::vector<tool_run> read_criterion_folder(const std::filesystem::path& folder);

bool recognises_pytest_benchmark(const outline& of);
std::vector<tool_run> read_pytest_benchmark(std::string_view text);

bool recognises_github_action_benchmark(const outline& of);
std::vector<tool_run> read_github_action_benchmark(std::string_view text);

}  // namespace loopbench::bench

// The layout of --help: options under headings, at most 100 columns, examples at the end.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopbench::bench {

/// Headings of option groups. Other headings come before these, in the order in which they first occur.
namespace heading {
inline constexpr const char* what = "What to measure";
inline constexpr const char* how_long = "How long";
inline constexpr const char* trials = "How trials are run";
inline constexpr const char* judging = "How results are judged";
inline constexpr const char* output = "Output";
}  // namespace heading

/// Puts all options that have no heading yet, except --help, under this one.
void put_under(CLI::App& command, const char* heading);

/// Returns the options other than arguments by heading, in the order of --help. The help option comes last,
/// under the heading of output or without a topic.
std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> grouped_options(const CLI::App& command);

/// A typical command line, and one line about it.
struct example {
    std::string_view command, explanation;
};

/// Returns the text below the options: the examples, and then the explanation of terms.
std::string examples_and(std::initializer_list<example> examples, std::string_view explanation = {});

/// Returns the text as a sentence: it begins with a capital letter and ends with a full stop.
std::string as_sentence(std::string text);

std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace loopbench::bench

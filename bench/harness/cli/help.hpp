// Formats --help: options under headings, at most 100 columns, and examples at the end.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopbench::bench {

/// The headings of option groups. Groups with other headings are placed before these, in the order in which
/// they first occur.
namespace heading {
inline constexpr const char* what = "What to measure";
inline constexpr const char* how_long = "How long";
inline constexpr const char* trials = "How trials are run";
inline constexpr const char* judging = "How results are judged";
inline constexpr const char* output = "Output";
}  // namespace heading

/// Puts all options that have no heading yet, except --help, under the given heading.
void put_under(CLI::App& command, const char* heading);

/// Returns the options (without positional arguments) grouped by heading, in the order of --help. The last
/// option is --help itself, under the heading for output or, without such a heading, under a general one.
std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> grouped_options(const CLI::App& command);

/// A typical command line, and one line that explains it.
struct example {
    std::string_view command, explanation;
};

/// Returns the text below the options: the examples and then the explanation.
std::string examples_and(std::initializer_list<example> examples, std::string_view explanation = {});

/// Returns the text as a sentence: it begins with a capital letter and ends with a full stop.
std::string as_sentence(std::string text);

std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace loopbench::bench

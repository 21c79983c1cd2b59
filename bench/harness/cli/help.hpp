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

/// The headings of option groups, in the order in which --help shows the groups. A group with any other
/// heading is shown at the position of `what`.
namespace heading {
inline constexpr const char* what = "What to measure";
inline constexpr const char* how_long = "How long";
inline constexpr const char* trials = "How trials are run";
inline constexpr const char* judging = "How results are judged";
inline constexpr const char* output = "Output";
}  // namespace heading

/// Puts all options that have no heading yet, except --help, under the given heading.
void put_under(CLI::App& command, const char* heading);

/// Returns the options, but not the positional arguments, grouped by heading in the order of --help. The last
/// option is --help, in the group "Output" or "Options".
std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> grouped_options(const CLI::App& command);

/// An example in --help: a command line and its explanation.
struct example {
    std::string_view command, explanation;
};

/// Returns the text that --help shows below the options: the examples, and then the explanation.
std::string examples_and(std::initializer_list<example> examples, std::string_view explanation = {});

/// Returns the text with a capital first letter and a full stop at the end.
std::string as_sentence(std::string text);

/// Returns the text with a capital first letter.
std::string with_capital(std::string text);

/// Returns the text up to its first full stop, without the full stop.
std::string first_sentence(std::string_view text);

std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace loopbench::bench

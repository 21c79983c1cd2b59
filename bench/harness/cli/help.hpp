#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopbench::bench {

/// The headings of option groups, in the order of --help. A group with any other heading is shown at the
/// position of "What to measure".
namespace heading {
inline constexpr const char* what = "What to measure";
inline constexpr const char* how_long = "How long";
inline constexpr const char* trials = "How trials are run";
inline constexpr const char* judging = "How results are judged";
inline constexpr const char* output = "Output";
}  // namespace heading

void put_under(CLI::App& command, const char* heading);

/// Returns the command's options in groups, in the order of --help. The list contains no positional
/// arguments, and its last option is --help itself.
std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> grouped_options(const CLI::App& command);

struct example {
    std::string_view command, explanation;
};

std::string examples_and(std::initializer_list<example> examples, std::string_view explanation = {});

std::string as_sentence(std::string text);

std::string with_capital(std::string text);

std::string first_sentence(std::string_view text);

std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace loopbench::bench

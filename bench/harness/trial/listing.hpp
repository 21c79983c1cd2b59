#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/trial/process/child_process.hpp"
#include "bench/harness/trial/shared_limit.hpp"

namespace loopbench::bench {

using text_lines = std::vector<std::string>;

/// The lines that a program listed.
struct listing {
    text_lines names;     // printed names, repeated ones included
    text_lines left_out;  // other lines
};

/// Returns the lines that are not empty.
text_lines lines_of(const std::string& text);

/// Returns the lines of `from` that `others` contains, or those that it does not contain. Each line of
/// `others` counts once.
text_lines found_in(const text_lines& from, const text_lines& others, bool wanted);

/// Lists the benchmarks that `filter`, a regular expression for --benchmark_filter, selects. If it is empty
/// or selects no benchmark, lists all benchmarks. If a start fails, returns the reason. `plain` is the
/// request for a listing without a filter. All starts share the time limit.
///
/// Programs can print other text to their standard output, for example a log. Therefore the program is also
/// started with a filter that selects no benchmark: the lines that it then prints are not names. If such a
/// line differs from start to start, for example because it contains the time, the listing is repeated, and
/// only lines that both listings contain are names. If a listing without a filter has no other lines, the
/// program ignores filters, and all lines are names. If all lines are names of loopbench's own workloads, the
/// program is started once.
std::optional<std::string> list_names(const child_request& plain, const std::string& filter,
                                      const shared_limit& limit, listing& found);

}  // namespace loopbench::bench

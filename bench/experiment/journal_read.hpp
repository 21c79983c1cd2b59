// A journal read back: to report on it, and to go on where it stopped.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/experiment/counted.hpp"
#include "bench/experiment/runner.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// An executable as it was when the run began: a run can go on with the same ones only.
struct executable_state {
    std::string path;
    std::int64_t bytes = 0, modified_ns = 0;
    bool operator==(const executable_state&) const = default;
};

executable_state state_of(const std::filesystem::path& executable);

struct journal_content {
    run_plan plan;
    std::vector<executable_state> executables;  // of the plan's contenders
    std::vector<std::string> command;
    reports::environment where;
    std::vector<counted_cell> counted;
    run_outcome outcome;  // interrupted unless the journal says how the run ended
};

/// What a journal and one of its lines may have, in bytes. It is read line by line, so that it may be larger
/// than a report: a hundred thousand trials have a quarter of this.
inline constexpr std::size_t journal_bytes_max = std::size_t{1} << 30U,
                             journal_line_bytes_max = std::size_t{16} << 20U;

/// Reads a journal. A last line that was cut short (the machine died while it was written) is passed over.
/// Throws reports::format_error naming `name`, the line, the cause and the remedy.
journal_content read_journal(std::string_view text, std::string_view name);

/// Whether a text is a journal: its first line says so, and its lines are separate documents.
bool is_journal(std::string_view text);

}  // namespace loopbench::bench

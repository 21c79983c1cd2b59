// The record of a session: its plan, its environment, its builds and its outcome. A record is written line by
// line into a journal, and can be read back. Later modules (bench/harness/summary, bench/harness/gate) use
// only the record, so a session that has just ended and a session that was read are treated alike.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/experiment/counted.hpp"
#include "bench/harness/experiment/runner.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// The checksum of a file, to check that several machines have the same file.
struct file_content {
    std::string name;      // without the folder, which can differ between machines
    std::string checksum;  // see digest()
    auto operator<=>(const file_content&) const = default;
};

/// A contender's executable at the beginning of the run, and the conditions of its trials. A run can be
/// resumed only if both are unchanged.
struct executable_state {
    std::string path, called;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    std::map<std::string, std::string> environment = {};
    std::optional<std::vector<file_state>> layouts = {};  // absent without layouts
    std::optional<file_state> generator = {};             // absent without a generator
    std::vector<file_state> files = {};                   // the contender's other files
    // of all these files, sorted by name; only in shards
    std::optional<std::vector<file_content>> contents = {};
    bool operator==(const executable_state&) const = default;
};

executable_state state_of(const contender& who);

struct session_record {
    run_plan plan = {};
    std::vector<std::string> command = {};
    reports::environment where = {};
    std::vector<executable_state> executables = {};  // of the plan's contenders; only if read from a journal
    run_outcome outcome = {};  // if read from a journal: interrupted unless there is an end line
    std::vector<counted_result> counted = {};
};

// These functions return the lines of a journal: the header, a line for each trial, a line for the end of the
// trials, and a line for the results of the later passes. If the end line is missing, the run was killed. The
// line of an interleaved trial contains the time of each slice with six digits (slices_ns). A minute has at
// most 30,000 slices of 8 bytes each, which is a quarter of a megabyte.
nlohmann::ordered_json header_line(const session_record& begun);
nlohmann::ordered_json trial_line(const run_plan& plan, const trial_record& record);
nlohmann::ordered_json end_line(const run_outcome& outcome);
nlohmann::ordered_json counted_line(std::span<const counted_result> cells);

/// The largest size of a journal and of one of its lines, in bytes. A journal can be larger than a report,
/// because it is parsed line by line. A journal of a hundred thousand trials has a quarter of this size.
inline constexpr std::size_t journal_bytes_max = std::size_t{1} << 30U,
                             journal_line_bytes_max = std::size_t{16} << 20U;

/// The largest number of results (workload × contender) in a run.
inline constexpr std::size_t cells_max = 100'000;

/// Throws usage_error if the plan has too many results for a journal, including those of the A/A copy.
void refuse_too_many_cells(const run_plan& plan);

/// Throws usage_error if the plan is for a shard and there are more shards than blocks, or an option needs
/// the results of all blocks.
void refuse_impossible_part(const run_plan& plan);

/// Parses a journal. Ignores an incomplete last line, which a killed run can leave. Throws
/// reports::format_error with `name`, the line number, the cause and the remedy if the journal is invalid.
session_record read_journal(std::string_view text, std::string_view name);

/// Returns the text of journal.jsonl in the folder. Throws usage_error with a message that ends with `remedy`
/// if the file does not exist, and reports::file_error if it cannot be read.
std::string journal_text_in(const std::filesystem::path& folder, std::string_view remedy);

/// Returns true if the first line of a text identifies a journal. Each line of a journal is a separate JSON
/// document.
bool is_journal(std::string_view text);

/// Throws usage_error if the current conditions differ from those in the record, because a mix of trials
/// under different conditions would be meaningless. Compares the executables, the contenders' other files,
/// their environment variables, this program's version, the kernel, and the machine's properties that affect
/// speed.
void refuse_other_place(const session_record& begun, const reports::environment& here);

}  // namespace loopbench::bench

// The modules bench/harness/summary and bench/harness/gate read a session only from its session_record. Thus
// a session that was read from a journal gives the same results as a session that has just ended.
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

struct file_content {
    std::string name;  // without the folder, which can differ between machines
    std::string checksum;
    auto operator<=>(const file_content&) const = default;
};

/// The state of a contender's executable and other files when the run started. A run can be resumed only if
/// the files are unchanged.
struct executable_state {
    std::string path;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    std::map<std::string, std::string> environment = {};
    std::optional<std::vector<std::string>> arguments = {};
    std::optional<std::string> folder = {};
    std::optional<std::vector<file_state>> layouts = {};
    std::optional<file_state> generator = {};
    std::optional<bool> asio_dropin = {};  // absent if false
    std::vector<file_state> files = {};
    // The names and checksums of the files, sorted by name. They are present only in the journal of a shard.
    std::optional<std::vector<file_content>> contents = {};
    bool operator==(const executable_state&) const = default;
};

executable_state state_of(const contender& who);

using found_causes = std::optional<std::vector<reports::slowdown_cause>>;  // absent if none were looked for

struct session_record {
    run_plan plan = {};
    std::vector<std::string> command = {};
    reports::environment where = {};
    std::vector<executable_state> executables = {};  // for each contender; only if read from a journal
    run_outcome outcome = {};                        // interrupted if the journal has no end line
    std::vector<counted_result> counted = {};
    found_causes causes = {};
};

// Returns the header line of a journal. After the header, a journal has a line for each trial, a line for the
// end of the trials (absent after a kill) and a line for the results of the passes. The line of an
// interleaved trial contains the time of each slice with six digits (slices_ns). For a trial of one minute,
// these are at most 30,000 slices of 8 bytes, a quarter of a megabyte.
nlohmann::ordered_json header_line(const session_record& begun);
nlohmann::ordered_json trial_line(const run_plan& plan, const trial_record& record);
nlohmann::ordered_json end_line(const run_outcome& outcome);
nlohmann::ordered_json counted_line(std::span<const counted_result> cells, const found_causes& causes = {});

/// The maximum sizes of a journal and of its lines, in bytes. A journal can be larger than a report, because
/// it is parsed line by line. A journal of a hundred thousand trials has a quarter of the maximum size.
inline constexpr std::size_t journal_bytes_max = std::size_t{1} << 30U,
                             journal_line_bytes_max = std::size_t{16} << 20U;

inline constexpr std::size_t cells_max = 100'000;

void refuse_too_many_cells(const run_plan& plan);

/// Throws usage_error if the plan is for a shard and has more shards than blocks, or if it is for a shard and
/// has an option that needs the results of all blocks (--precision).
void refuse_impossible_part(const run_plan& plan);

/// Parses a journal. Ignores an incomplete last line, which a killed run can leave. Throws
/// reports::format_error, with `name` and the line number in its message, if the journal is invalid.
session_record read_journal(std::string_view text, std::string_view name);

/// Returns the text of the journal in the folder. Throws usage_error if the folder has no journal.jsonl (the
/// message ends with `remedy`), and reports::file_error if the file cannot be read.
std::string journal_text_in(const std::filesystem::path& folder, std::string_view remedy);

bool is_journal(std::string_view text);

/// Throws usage_error if the current contenders or the current machine differ from those of the record.
/// Compares the executables, other files, environment variables, the version of loopbench, the kernel, and
/// the machine properties that affect speed.
void refuse_other_place(const session_record& begun, const reports::environment& here);

}  // namespace loopbench::bench

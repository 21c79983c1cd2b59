// The record of a session: its plan, its environment, its builds and its outcome. A record is written line by
// line into a journal, and can be read from that journal. Later modules (bench/harness/summary,
// bench/harness/gate) use only the record. Thus a session that was read from a journal gives the same results
// as a session that has just ended.
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

/// The checksum of a file. Equal checksums show that two machines have the same file.
struct file_content {
    std::string name;      // without the folder, which can differ between machines
    std::string checksum;  // see digest()
    auto operator<=>(const file_content&) const = default;
};

/// The state of a contender's files at the beginning of the run, and the conditions of its trials. A run can
/// be resumed only if all of these fields are unchanged.
struct executable_state {
    std::string path, called;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    std::map<std::string, std::string> environment = {};
    std::optional<std::vector<file_state>> layouts = {};  // absent if there are no layouts
    std::optional<file_state> generator = {};             // absent if there is no generator
    std::vector<file_state> files = {};                   // the contender's other files
    // The checksums of the files in the fields above, sorted by name; only in the journal of a shard.
    std::optional<std::vector<file_content>> contents = {};
    bool operator==(const executable_state&) const = default;
};

executable_state state_of(const contender& who);

struct session_record {
    run_plan plan = {};
    std::vector<std::string> command = {};
    reports::environment where = {};
    std::vector<executable_state> executables = {};  // for each contender; only if read from a journal
    run_outcome outcome = {};                        // interrupted if the journal has no end line
    std::vector<counted_result> counted = {};
};

// The functions below return the lines of a journal: the header, a line for each trial, a line for the end of
// the trials, and a line for the results of the passes. A journal without an end line comes from a run that
// was killed. The line of an interleaved trial contains the time of each slice with six digits (slices_ns). A
// trial of one minute has at most 30,000 slices of 8 bytes each: a quarter of a megabyte in total.
nlohmann::ordered_json header_line(const session_record& begun);
nlohmann::ordered_json trial_line(const run_plan& plan, const trial_record& record);
nlohmann::ordered_json end_line(const run_outcome& outcome);
nlohmann::ordered_json counted_line(std::span<const counted_result> cells);

/// The largest sizes of a journal and of one of its lines, in bytes. A journal can be larger than a report,
/// because a journal is parsed line by line. A journal of a hundred thousand trials has a quarter of the
/// largest size.
inline constexpr std::size_t journal_bytes_max = std::size_t{1} << 30U,
                             journal_line_bytes_max = std::size_t{16} << 20U;

/// The largest number of results (workload × contender) in a run.
inline constexpr std::size_t cells_max = 100'000;

/// Throws usage_error if the plan has more than cells_max results, including the results of the A/A copy.
void refuse_too_many_cells(const run_plan& plan);

/// Throws usage_error if the plan is for one shard and has more shards than blocks, or has an option that
/// needs the results of all blocks.
void refuse_impossible_part(const run_plan& plan);

/// Parses a journal. Ignores an incomplete last line, which a killed run can leave. If the journal is
/// invalid, throws reports::format_error with `name`, the line number, the cause and the remedy.
session_record read_journal(std::string_view text, std::string_view name);

/// Returns the text of journal.jsonl in the folder. If the file does not exist, throws usage_error with a
/// message that ends with `remedy`. If the file cannot be read, throws reports::file_error.
std::string journal_text_in(const std::filesystem::path& folder, std::string_view remedy);

/// Returns true if the text begins with the header of a journal.
bool is_journal(std::string_view text);

/// Throws usage_error if the current conditions differ from the conditions in the record, because a mix of
/// trials under different conditions would be meaningless. Compares the contenders' executables, other files
/// and environment variables, the version of loopbench, the kernel, and the machine's properties that affect
/// speed.
void refuse_other_place(const session_record& begun, const reports::environment& here);

}  // namespace loopbench::bench

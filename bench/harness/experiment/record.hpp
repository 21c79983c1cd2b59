// The record of a session: its plan, its place and builds, and its outcome. It is written line by line into a
// journal and read back from one. The later parts (bench/harness/summary, bench/harness/gate) see only the
// record, so it does not matter whether a session has just ended or was read.
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

/// The content of a file, by which machines find out whether they have the same one.
struct file_content {
    std::string name;      // without its folder: another machine may have it elsewhere
    std::string checksum;  // 122 bits
    auto operator<=>(const file_content&) const = default;
};

/// A contender's executable at the beginning of the run, and the conditions of its trials: a run continues
/// only with the same ones.
struct executable_state {
    std::string path, called;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    std::map<std::string, std::string> environment = {};
    std::optional<std::vector<file_state>> layouts = {};     // absent if there are none
    std::optional<file_state> generator = {};                // absent without a generator
    std::vector<file_state> files = {};                      // its other files
    std::optional<std::vector<file_content>> contents = {};  // of all these files, by name; only in shards
    bool operator==(const executable_state&) const = default;
};

executable_state state_of(const contender& who);

struct session_record {
    run_plan plan = {};
    std::vector<std::string> command = {};
    reports::environment where = {};
    std::vector<executable_state> executables = {};  // of the plan's contenders; in a journal that was read
    run_outcome outcome = {};                        // in a journal: interrupted, unless it has an end line
    std::vector<counted_result> counted = {};
};

// The lines of a journal: the header, one line for each trial, one for the end of the trials (a journal
// without it was killed), and one for the results of the later passes. An interleaved trial has the time of
// each slice, in six digits (slices_ns): a minute has at most 30,000 of these, 8 bytes each, which is a
// quarter of a megabyte.
nlohmann::ordered_json header_line(const session_record& begun);
nlohmann::ordered_json trial_line(const run_plan& plan, const trial_record& record);
nlohmann::ordered_json end_line(const run_outcome& outcome);
nlohmann::ordered_json counted_line(std::span<const counted_result> cells);

/// The largest size of a journal and of one of its lines, in bytes. A journal is read line by line, so it may
/// be larger than a report: a hundred thousand trials have a quarter of this size.
inline constexpr std::size_t journal_bytes_max = std::size_t{1} << 30U,
                             journal_line_bytes_max = std::size_t{16} << 20U;

/// The largest number of results (workload × contender) in a run.
inline constexpr std::size_t cells_max = 100'000;

/// Throws usage_error if the plan has too many results for a journal, including those of the A/A copy.
void refuse_too_many_cells(const run_plan& plan);

/// Throws usage_error if there are more shards than blocks, or if the plan has an option that needs all
/// blocks together, which no shard has.
void refuse_impossible_part(const run_plan& plan);

/// Reads a journal. Ignores a last line that was cut short (the machine died while it was written). Throws
/// reports::format_error with `name`, the line, the cause and the remedy.
session_record read_journal(std::string_view text, std::string_view name);

/// Returns the text of journal.jsonl in the folder. Throws usage_error, ending with `remedy`, if there is
/// none, and reports::file_error if it cannot be read.
std::string journal_text_in(const std::filesystem::path& folder, std::string_view remedy);

/// Returns true if a text is a journal: its first line says so, and its lines are separate documents.
bool is_journal(std::string_view text);

/// Throws usage_error if the present conditions differ from those in the record: the executables, the
/// contenders' other files, their environment, this program's version, the kernel, or the machine's
/// properties that affect speed. Mixing trials of both conditions would be meaningless.
void refuse_other_place(const session_record& begun, const reports::environment& here);

}  // namespace loopbench::bench

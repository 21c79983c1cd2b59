// The record of a session: what was to be done, where and by whom, and what came of it. It is written line by
// line into a journal and read back from one. Everything that comes after it (bench/summary, bench/gate) sees
// nothing else, so that it makes no difference whether a session has just ended or was read.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/experiment/counted.hpp"
#include "bench/experiment/runner.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// What is in a file, by which machines tell whether they have the same one.
struct file_content {
    std::string name;      // of the file, without its folder: another machine may have it elsewhere
    std::string checksum;  // of 122 bits
    auto operator<=>(const file_content&) const = default;
};

/// A contender's executable as it was when the run began, and what its trials are started with: a run goes on
/// with the same ones only.
struct executable_state {
    std::string path, called;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    std::optional<std::map<std::string, std::string>> environment;  // absent in older journals
    std::optional<std::vector<file_state>> layouts = {};            // absent where there are none
    std::optional<file_state> generator = {};                       // likewise
    std::optional<std::vector<file_state>> files = {};  // what else it is made of; absent in older journals
    std::optional<std::vector<file_content>> contents = {};  // of all of these, by name; of shards alone
    bool operator==(const executable_state&) const = default;
};

executable_state state_of(const contender& who);

struct session_record {
    run_plan plan = {};
    std::vector<std::string> command = {};
    reports::environment where = {};
    std::vector<executable_state> executables = {};  // of the plan's contenders; of a journal that was read
    run_outcome outcome = {};  // of a journal: interrupted, unless it says how the run ended
    std::vector<counted_cell> counted = {};
};

// The lines of a journal: the first one, one for each trial, one for the end of the trials (a journal without
// it was killed), and one for what the passes after them found. A trial in turns has the time of each, in six
// digits (turns_ns): a minute of them is at most 30,000 times 8 bytes, a quarter of a megabyte.
nlohmann::ordered_json header_line(const session_record& begun);
nlohmann::ordered_json trial_line(const run_plan& plan, const trial_record& record);
nlohmann::ordered_json end_line(const run_outcome& outcome);
nlohmann::ordered_json counted_line(std::span<const counted_cell> cells);

/// What a journal and one of its lines may have, in bytes. It is read line by line, so that it may be larger
/// than a report: a hundred thousand trials have a quarter of this.
inline constexpr std::size_t journal_bytes_max = std::size_t{1} << 30U,
                             journal_line_bytes_max = std::size_t{16} << 20U;

/// How many cells a run may have.
inline constexpr std::size_t cells_max = 100'000;

/// Throws usage_error when no journal takes the plan: it has too many cells, with those of the twin.
void refuse_too_many_cells(const run_plan& plan);

/// Throws usage_error when there are more shards than blocks, or when what the plan asks for is decided by
/// all of its blocks together, which no shard has.
void refuse_impossible_part(const run_plan& plan);

/// Reads a journal. A last line that was cut short (the machine died while it was written) is passed over.
/// Throws reports::format_error naming `name`, the line, the cause and the remedy.
session_record read_journal(std::string_view text, std::string_view name);

/// The text of journal.jsonl in the folder. Throws usage_error, ending with `remedy`, when there is none, and
/// reports::file_error when it cannot be read.
std::string journal_text_in(const std::filesystem::path& folder, std::string_view remedy);

/// Whether a text is a journal: its first line says so, and its lines are separate documents.
bool is_journal(std::string_view text);

/// Throws usage_error when what is here is not what the record began with: the executables, what the plan's
/// contenders remember of their other files, what they are started with, this program's version, the kernel,
/// or the machine as far as it decides how fast anything is. Trials of both together would be of neither.
void refuse_other_place(const session_record& begun, const reports::environment& here);

}  // namespace loopbench::bench

// journal.jsonl: what has been measured is safe from then on, whatever happens to the run. A header line,
// then a line per trial and one for the end, each written with one write() as the trial ends.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/engine/runner.hpp"
#include "reports/posix_io.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

class journal {
public:
    /// Begins a new journal; an old one of that name is gone. Throws reports::file_error.
    journal(const std::filesystem::path& path, const run_plan& plan, const reports::environment& where,
            const std::vector<std::string>& command);

    /// Goes on with the first `keep_bytes` bytes of an old journal, its whole lines. Throws reports::file_error.
    journal(const std::filesystem::path& path, std::uint64_t keep_bytes);

    /// Says how the run ended; a journal without this line was killed. Throws reports::file_error.
    void end(const run_outcome& outcome);

    /// Appends the trial. Throws reports::file_error; then the journal ends with the trial before.
    void append(const run_plan& plan, const trial_record& record);

private:
    void write_line(const nlohmann::ordered_json& value);

    std::string path_;
    reports::unique_fd file_;
};

}  // namespace loopbench::bench

// journal.jsonl: what has been measured is safe from then on, whatever happens to the run. A header line,
// then a line per trial, each written with one write() as the trial ends.
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
    /// Begins a new journal; an old one of that name is replaced as soon as the new one's header is written. Throws
    /// reports::file_error, also when another run's journal in the same folder is being written.
    journal(const std::filesystem::path& path, const run_plan& plan, const reports::environment& where,
            const std::vector<std::string>& command);

    /// Appends the trial. Throws reports::file_error; then the journal ends with the trial before.
    void append(const run_plan& plan, const trial_record& record);

private:
    void write_line(const nlohmann::ordered_json& value);

    std::string path_;
    reports::unique_fd lock_;  // of the folder
    reports::unique_fd file_;
};

}  // namespace loopbench::bench

#include "bench/harness/cli/commands/report_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/history/entry.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

std::string read_report_text(const std::string& file) {
    if (!std::filesystem::exists(file))
        throw usage_error{"{} does not exist; create a report with `loopbench run`", file};
    try {
        return reports::read_file_or_pipe(file, journal_bytes_max);
    } catch (const reports::file_error& error) {
        throw usage_error{error.what()};
    }
}

reports::report read_report_file(const std::string& file) {
    const auto text = read_report_text(file);
    if (!is_google_benchmark_output(text)) return read_judged_report(text, file);
    // If the date has no time zone, UTC is assumed. A date that is wrong by some hours does no harm, because
    // it is only shown.
    return reports::read_json(read_entry(text, file, {}, {.date = {}, .assume_utc = true}).report, file);
}

void add_output_file(CLI::App& command, std::string& file) {
    takes_path(command.add_option("-o,--output", file, "file to write (standard output)")
                   ->type_name("FILE")
                   ->group(heading::output));
}

void write_output(const std::string& file, std::string_view text) {
    if (file.empty())
        reports::write_standard_output(text);
    else
        reports::write_file_atomically(file, text);
}

}  // namespace loopbench::bench

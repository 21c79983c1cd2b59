// loopbench report: a report.json in another format.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cli/commands.hpp"
#include "bench/cli/paths.hpp"
#include "bench/engine/usage_error.hpp"
#include "reports/atomic_file.hpp"
#include "reports/csv.hpp"
#include "reports/json.hpp"
#include "reports/markdown.hpp"
#include "reports/posix_io.hpp"

namespace loopbench::bench {

namespace {

struct format {
    std::string_view name;
    std::string (*write)(const reports::report&);
};

constexpr std::array formats{
    format{"json", reports::write_json},
    format{"csv", reports::write_csv},
    format{"markdown", reports::write_markdown},
};

struct report_options {
    std::string file, format_name, output;
};

int report(const report_options& options) {
    if (!std::filesystem::exists(options.file))
        throw usage_error{fmt::format("there is no file {}; `loopbench run` writes one", options.file)};
    const auto source = reports::read_file(options.file);
    const auto* chosen = std::ranges::find(formats, options.format_name, &format::name);
    const auto text = chosen->write == reports::write_json
                          ? reports::rewrite_json(source, options.file)
                          : chosen->write(reports::read_json(source, options.file));
    if (options.output.empty())
        reports::write_standard_output(text);
    else
        reports::write_file_atomically(options.output, text);
    return exit_ok;
}

}  // namespace

void add_report_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<report_options>();
    auto* command = app.add_subcommand("report", "writes a report in another format");
    command->add_option("REPORT.json", options->file, "the report.json of a run")->required();
    std::vector<std::string> names;
    for (const auto& known : formats) names.emplace_back(known.name);
    command->add_option("--format", options->format_name, "the format")
        ->required()
        ->check(CLI::IsMember(names));
    takes_path(
        command->add_option("-o,--output", options->output, "the file to write; standard output otherwise"));
    command->callback([options, &chosen] { chosen = [options](const auto&) { return report(*options); }; });
}

}  // namespace loopbench::bench

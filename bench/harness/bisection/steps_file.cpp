#include "bench/harness/bisection/steps_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "bench/harness/experiment/journal.hpp"
#include "bench/harness/machine/environment.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/json_fields.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;
using reports::field;
using reports::node;
using reports::presence;

constexpr auto fields_of(const bisect_request*) {
    return std::tuple(
        field{"folder", &bisect_request::folder}, field{"good", &bisect_request::good},
        field{"commits", &bisect_request::commits}, field{"build", &bisect_request::build},
        field{"program", &bisect_request::program}, field{"arguments", &bisect_request::arguments},
        field{"run", &bisect_request::run}, field{"workloads", &bisect_request::workloads},
        field{"metric", &bisect_request::metric}, field{"threshold_pct", &bisect_request::threshold_pct},
        field{"blocks", &bisect_request::blocks}, field{"min_time_s", &bisect_request::min_time_s},
        field{"trial_limit_s", &bisect_request::trial_limit_s}, field{"pairing", &bisect_request::pairing},
        field{"seed", &bisect_request::seed});
}

constexpr auto fields_of(const build_line*) {
    return std::tuple(field{"build", &build_line::build}, field{"seconds", &build_line::seconds},
                      field{"failure", &build_line::failure},
                      field{"reused", &build_line::reused, presence::when_there});
}

constexpr auto fields_of(const step_line*) {
    return std::tuple(field{"step", &step_line::step}, field{"verdict", &step_line::verdict},
                      field{"reason", &step_line::reason}, field{"blocks", &step_line::blocks},
                      field{"ratio", &step_line::ratio}, field{"error", &step_line::error},
                      field{"seconds", &step_line::seconds});
}

void check_fields(const bisect_request& request, const node& from) {
    if (request.commits.empty()) from.at("commits").fail("expected at least one commit");
    if (reports::find_metric(request.metric) == nullptr) from.at("metric").fail("unknown metric");
    if (request.blocks < 1 || request.blocks > blocks_max)
        from.at("blocks").fail("expected a number from 1 to {}", blocks_max);
    constexpr double longest_s = 7 * 24 * 3600.0;
    for (const auto& [name, value] :
         {std::pair{"min_time_s", request.min_time_s}, {"trial_limit_s", request.trial_limit_s}})
        if (!(value > 0 && value <= longest_s)) from.at(name).fail("expected a number up to {:g}", longest_s);
    if (!(request.threshold_pct >= 0 && request.threshold_pct <= 100))
        from.at("threshold_pct").fail("expected a number from 0 to 100");
}

namespace {

constexpr std::string_view name_of_steps = "steps.jsonl";

nlohmann::ordered_json first_line(const bisect_request& begun) {
    return {{"schema", reports::steps_format.schema},
            {"version", loopbench_version()},
            {"request", reports::value_of(begun)}};
}

void take_line(steps_record& found, const node& from, bool is_first, std::string_view name) {
    if (is_first) {
        reports::require_format(from, reports::steps_format, name);
        found.request = reports::read_value<bisect_request>(from.at("request"));
    } else if (from.find("build")) {
        found.builds.push_back(reports::read_value<build_line>(from));
    } else {
        found.steps.push_back(reports::read_value<step_line>(from));
        const auto is_it = [&](const commit_info& commit) { return commit.id == found.steps.back().step; };
        if (std::ranges::none_of(found.request.commits, is_it))
            from.at("step").fail("the commit is not one of the request");
    }
}

bool has_steps(const fs::path& file) {
    try {
        static_cast<void>(read_steps(reports::read_file(file.native()), file.native()));
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

/// Removes the sessions of an earlier bisection, so that a bisection that is killed now and then continued
/// does not find them. Throws usage_error if the folder contains anything else than a bisection.
void remove_old_sessions(const fs::path& folder) {
    if (fs::is_empty(folder)) return;
    if (!has_steps(folder / name_of_steps))
        throw usage_error{
            "the folder {} is not empty, and it has no {} that this version of loopbench can read; use "
            "another folder with -o",
            folder.native(), name_of_steps};
    for (const auto* old : {"first", "first-again", "last", "last-again", "steps", "bisect.json"})
        fs::remove_all(folder / old);
}

}  // namespace

nlohmann::ordered_json to_json(const step_line& step) {
    return reports::value_of(step);
}

nlohmann::ordered_json to_json(const build_line& build) {
    return reports::value_of(build);
}

steps_record read_steps(std::string_view text, std::string_view name) {
    steps_record found;
    std::size_t line = 0;
    try {
        for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
            const reports::document document{text.substr(0, end), {.first_line = ++line}};
            take_line(found, document.root(), line == 1, name);
            text.remove_prefix(end + 1);
        }
        if (line == 0) throw reports::format_error{"the file has no complete line"};
    } catch (const reports::other_format&) {
        throw;
    } catch (const reports::format_error& error) {
        throw reports::format_error{
            "line {} of {} is invalid: {}; begin a new bisection in another folder (-o)",
            std::max<std::size_t>(line, 1), name, error.what()};
    }
    return found;
}

steps_file::steps_file(const std::filesystem::path& folder, const bisect_request& begun)
    : path_{(folder / name_of_steps).native()}, lock_{locked_folder_of(path_)} {
    remove_old_sessions(folder);
    reports::write_file_atomically(path_, reports::dump(first_line(begun)) + "\n");
    // `git status` and `git add` of the user leave this folder out, although it contains working trees.
    reports::write_file_atomically(folder / ".gitignore", "*\n");
    file_ = reports::open_regular_file(path_, O_WRONLY | O_APPEND, "open");
}

steps_file::steps_file(const std::filesystem::path& folder, steps_record& found)
    : path_{(folder / name_of_steps).native()} {
    if (!std::filesystem::exists(path_))
        throw usage_error{"{} does not exist; use --resume with the folder of an earlier bisection", path_};
    lock_ = locked_folder_of(path_);
    const auto text = reports::read_file(path_);
    found = read_steps(text, path_);
    file_ = reports::open_regular_file(path_, O_WRONLY | O_APPEND, "continue");
    if (::ftruncate(file_.get(), static_cast<off_t>(text.rfind('\n') + 1)) != 0)
        throw reports::file_error{"continue", path_, errno};
}

void steps_file::add(const build_line& line) {
    write(reports::value_of(line));
}

void steps_file::add(const step_line& line) {
    write(reports::value_of(line));
}

void steps_file::write(const nlohmann::ordered_json& line) {
    reports::write_all(file_.get(), reports::dump(line) + "\n", path_);
}

}  // namespace loopbench::bench

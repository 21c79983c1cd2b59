#include "bench/experiment/histograms.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "bench/trial/side_files.hpp"
#include "bench/trial/usage_error.hpp"
#include "reports/atomic_file.hpp"
#include "reports/json_node.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
using reports::node;

constexpr std::string_view file_name = "histograms.jsonl";
constexpr std::string_view histograms_schema = "loopbench-histograms/1";

std::uint64_t count_of(const reports::histogram& of) {
    std::uint64_t count = 0;
    for (const auto& each : of.values) count += each.count;
    return count;
}

/// Adds the values of another trial. The contenders' buckets do not overlap, whatever trial they are of;
/// those of a stranger might, and are kept side by side.
void merge(reports::histogram& into, const reports::histogram& from) {
    const auto ours = static_cast<double>(count_of(into)), theirs = static_cast<double>(count_of(from));
    if (ours + theirs > 0) into.mean_ns = (into.mean_ns * ours + from.mean_ns * theirs) / (ours + theirs);
    into.max_ns = into.trials == 0 ? from.max_ns : std::max(into.max_ns, from.max_ns);
    into.trials += from.trials;
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> all;
    for (const auto* of : std::array{&std::as_const(into), &from})
        for (const auto& each : of->values) all[{each.lowest_ns, each.highest_ns}] += each.count;
    into.values.clear();
    for (const auto& [bounds, count] : all) into.values.push_back({bounds.first, bounds.second, count});
}

using cell_name = std::pair<std::string, std::string>;  // workload, contender

/// What one line is of.
struct place {
    std::uint64_t block = 0;
    cell_name cell;
    auto operator<=>(const place&) const = default;
};

/// A run has to be able to go on whatever it has written, and this is a hundred times as much as its journal.
constexpr std::size_t file_bytes_max = std::size_t{8} << 30U;

struct line {
    std::uint64_t attempt = 0;
    std::vector<reports::histogram> histograms;
};

std::map<place, line> read_lines(std::string_view text, std::string_view name) {
    std::map<place, line> lines;
    std::size_t number = 0;
    try {
        // What is behind the last line's end was being written when the run was killed.
        for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
             text.remove_prefix(end + 1)) {
            const auto document = reports::parse_strictly(text.substr(0, end));
            const node from{document, ""};
            if (++number == 1) {
                from.require_schema(histograms_schema);
                continue;
            }
            const place where{from.at("block").natural(),
                              {from.at("workload").text(), from.at("contender").text()}};
            line found{from.at("attempt").natural(), from.at("histograms").each(read_histogram)};
            if (auto& known = lines[where]; known.histograms.empty() || known.attempt <= found.attempt)
                known = std::move(found);
        }
    } catch (const reports::format_error& error) {
        throw reports::format_error{
            fmt::format("{} is no file of histograms: line {}: {}", name, number, error.what())};
    }
    return lines;
}

}  // namespace

histogram_log::histogram_log(const fs::path& folder, beginning how) : path_{folder / file_name} {
    const auto header = reports::dump({{"schema", histograms_schema}}) + "\n";
    const bool continues = how == beginning::behind_what_is_there && fs::exists(path_);
    if (continues) reports::remove_abandoned(path_);
    if (!continues) reports::write_file_atomically(path_, header);
    const auto whole = continues ? reports::read_file(path_, file_bytes_max).rfind('\n') + 1 : header.size();
    file_ = reports::unique_fd{
        reports::uninterrupted([&] { return ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); })};
    if (!file_ || (continues && ::ftruncate(file_.get(), static_cast<off_t>(whole)) != 0))
        throw reports::file_error{"continue", path_, errno};
}

void histogram_log::append(const run_plan& plan, const trial_record& record) {
    if (record.outcome.histograms.empty()) return;
    const json whole{{"block", record.block},
                     {"attempt", record.attempt},
                     {"workload", plan.workloads[record.where.workload]},
                     {"contender", plan.contenders[record.where.contender].name},
                     {"histograms", record.outcome.histograms}};
    reports::write_all(file_.get(), reports::dump(whole) + "\n", path_);
}

std::vector<reports::histogram> histograms_beside(const fs::path& report_file,
                                                  const reports::report& report) {
    const auto file = report_file.parent_path() / file_name;
    if (!fs::exists(file))
        throw usage_error{fmt::format(
            "there is no {}: a run writes it beside its report, so name the report where the run left it",
            file.native())};
    std::map<std::tuple<std::string, std::string, std::string>, reports::histogram> merged;
    for (const auto& [where, found] :
         read_lines(reports::read_file(file.native(), file_bytes_max), file.native()))
        for (const auto& each : found.histograms) {
            const auto& [workload, contender] = where.cell;
            auto& sum = merged[{workload, contender, each.metric}];
            sum.workload = workload;
            sum.contender = contender;
            sum.metric = each.metric;
            merge(sum, each);
        }
    std::vector<reports::histogram> all;
    for (const auto& result : report.results) {
        if (result.metric != "time" || result.status != reports::cell_status::ok) continue;
        for (const auto* metric : {"latency", "late"})
            if (const auto found = merged.find({result.workload, result.contender, metric});
                found != merged.end())
                all.push_back(found->second);
    }
    return all;
}

}  // namespace loopbench::bench

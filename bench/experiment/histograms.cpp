#include "bench/experiment/histograms.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "bench/experiment/record.hpp"
#include "bench/experiment/samples.hpp"
#include "bench/trial/side_files.hpp"
#include "bench/trial/usage_error.hpp"
#include "reports/atomic_file.hpp"
#include "reports/json.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_name = "histograms.jsonl", journal_name = "journal.jsonl";
constexpr std::string_view histograms_schema = "loopbench-histograms/1";

std::uint64_t count_of(const reports::histogram& of) {
    std::uint64_t count = 0;
    for (const auto& each : of.values) count += each.count;
    return count;
}

/// Adds the values of another trial. The contenders' buckets do not overlap, whatever trial they are of;
/// those of a stranger might, in any order, and are kept side by side.
void merge(reports::histogram& into, reports::histogram from) {
    const auto ours = static_cast<double>(count_of(into)), theirs = static_cast<double>(count_of(from));
    if (ours + theirs > 0) into.mean_ns = (into.mean_ns * ours + from.mean_ns * theirs) / (ours + theirs);
    into.max_ns = into.trials == 0 ? from.max_ns : std::max(into.max_ns, from.max_ns);
    into.trials += from.trials;
    const auto bounds = [](const reports::bucket& of) { return std::pair{of.lowest_ns, of.highest_ns}; };
    if (!std::ranges::is_sorted(from.values, {}, bounds)) std::ranges::sort(from.values, {}, bounds);
    std::vector<reports::bucket> all;
    all.reserve(into.values.size() + from.values.size());
    std::ranges::merge(into.values, from.values, std::back_inserter(all), {}, bounds, bounds);
    into.values.clear();
    for (const auto& each : all)
        if (!into.values.empty() && bounds(into.values.back()) == bounds(each))
            into.values.back().count += each.count;
        else
            into.values.push_back(each);
}

constexpr std::size_t file_bytes_max = std::size_t{8} << 30U;

using cell_and_metric = std::tuple<std::string, std::string, std::string>;  // workload, contender, metric

/// The sums of those trials that count by the journal, as in every other number of the report.
std::map<cell_and_metric, reports::histogram> read_lines(std::string_view text, std::string_view name,
                                                         const session_record& record) {
    const counting_attempts tried{record.outcome};
    const auto& workloads = record.plan.workloads;
    std::map<cell_and_metric, reports::histogram> sums;
    std::size_t number = 0;
    const auto refuse = [&](const std::exception& error) {
        return reports::format_error{
            fmt::format("{} is no file of histograms: line {}: {}", name, number, error.what())};
    };
    simdjson::dom::parser parser;
    try {
        // What is behind the last line's end was being written when the run was killed.
        for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
             text.remove_prefix(end + 1)) {
            ++number;
            const simdjson::dom::element line = parser.parse(text.data(), end);
            if (number == 1) {
                const std::string_view schema = line["schema"];
                if (schema != histograms_schema)
                    throw reports::format_error{fmt::format("its schema is not {}", histograms_schema)};
                continue;
            }
            const std::string_view workload = line["workload"], contender = line["contender"];
            const auto place =
                static_cast<std::size_t>(std::ranges::find(workloads, workload) - workloads.begin());
            const bool counts = tried.counts(line["block"], place, line["attempt"]);
            for (const auto each : line["histograms"]) {
                auto found = read_histogram(each);
                if (!counts) continue;
                auto& sum = sums[{std::string{workload}, std::string{contender}, found.metric}];
                sum.workload = workload;
                sum.contender = contender;
                sum.metric = found.metric;
                merge(sum, std::move(found));
            }
        }
    } catch (const reports::format_error& error) {
        throw refuse(error);
    } catch (const simdjson::simdjson_error& error) {
        throw refuse(error);
    }
    return sums;
}

/// How many bytes of the file are whole lines. Only its end is looked at: it may be larger than the memory.
off_t whole_lines_of(int fd) {
    std::array<char, 65536> chunk;
    for (auto end = ::lseek(fd, 0, SEEK_END); end > 0;) {
        const auto start = std::max<off_t>(end - static_cast<off_t>(chunk.size()), 0);
        const auto count = reports::uninterrupted(
            [&] { return ::pread(fd, chunk.data(), static_cast<std::size_t>(end - start), start); });
        if (count <= 0) return 0;
        const auto last = std::string_view{chunk.data(), static_cast<std::size_t>(count)}.rfind('\n');
        if (last != std::string_view::npos) return start + static_cast<off_t>(last) + 1;
        end = start;
    }
    return 0;
}

/// A file beside the report.
fs::path beside(const fs::path& report_file, std::string_view name) {
    auto file = report_file.parent_path() / name;
    if (!fs::exists(file))
        throw usage_error{fmt::format(
            "there is no {}: a run writes it beside its report, so name the report where the run left it",
            file.native())};
    return file;
}

}  // namespace

histogram_log::histogram_log(const fs::path& folder, beginning how) : path_{folder / file_name} {
    const auto header = reports::dump({{"schema", histograms_schema}}) + "\n";
    const bool continues = how == beginning::behind_what_is_there && fs::exists(path_);
    if (continues) reports::remove_abandoned(path_);
    if (!continues) reports::write_file_atomically(path_, header);
    file_ = reports::open_regular_file(path_, O_RDWR | O_APPEND, "continue");
    if (continues && ::ftruncate(file_.get(), whole_lines_of(file_.get())) != 0)
        throw reports::file_error{"continue", path_, errno};
}

void histogram_log::append(const run_plan& plan, const trial_record& record) {
    if (record.outcome.histograms.empty()) return;
    reports::write_all(
        file_.get(),
        fmt::format(R"({{"block":{},"attempt":{},"workload":{},"contender":{},"histograms":[{}]}})"
                    "\n",
                    record.block, record.attempt, reports::dump(plan.workloads[record.where.workload]),
                    reports::dump(plan.contenders[record.where.contender].name), record.outcome.histograms),
        path_);
}

bool has_histograms_beside(const fs::path& report_file) {
    const auto folder = report_file.parent_path();
    return fs::exists(folder / file_name) && fs::exists(folder / journal_name);
}

std::vector<reports::histogram> histograms_beside(const fs::path& report_file,
                                                  const reports::report& report) {
    const auto file = beside(report_file, file_name), journal = beside(report_file, journal_name);
    const auto record =
        read_journal(reports::read_file(journal.native(), journal_bytes_max), journal.native());
    if (record.plan.seed != report.seed)
        throw usage_error{fmt::format(
            "{} is of another run than {}: their seeds differ; name the report where its run left it",
            journal.native(), report_file.native())};
    const auto merged = read_lines(reports::read_file(file.native(), file_bytes_max), file.native(), record);
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

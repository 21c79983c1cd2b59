#include "bench/harness/experiment/histograms.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "bench/harness/experiment/record.hpp"
#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/machine/environment.hpp"
#include "bench/harness/trial/histogram_files.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_name = "histograms.jsonl", journal_name = "journal.jsonl";

std::uint64_t count_of(const reports::histogram& of) {
    std::uint64_t count = 0;
    for (const auto& each : of.values) count += each.count;
    return count;
}

/// Adds the values of `from` to `into`. Adds up the counts of equal buckets, and keeps all other buckets
/// separate even if they overlap. The buckets of the suite's contenders do not overlap, because they are the
/// same in all trials; buckets of third-party programs can overlap.
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

/// A reader that keeps only one line in memory, because the file can be larger than the memory.
class line_reader {
public:
    explicit line_reader(const std::string& path, const char* purpose = "read")
        : path_{path}, file_{reports::open_regular_file(path, O_RDONLY, purpose)} {}

    /// Returns the next line, or nothing after the last complete line. Ignores an incomplete last line, which
    /// a killed run can leave. The returned text is valid until the next call. Throws reports::file_error if
    /// the file cannot be read, and reports::format_error if a line is too long.
    std::optional<std::string_view> next() {
        text_.erase(0, taken_);
        taken_ = 0;
        for (std::size_t looked = 0;;) {
            if (const auto end = text_.find('\n', looked); end != std::string::npos) {
                taken_ = end + 1;
                return std::string_view{text_}.substr(0, end);
            }
            looked = text_.size();
            if (looked > journal_line_bytes_max)
                throw reports::format_error{"the line has more than {} bytes", journal_line_bytes_max};
            if (!read_more()) return std::nullopt;
        }
    }

private:
    bool read_more() {
        const auto before = text_.size();
        text_.resize(before + chunk_bytes);
        const auto count =
            reports::uninterrupted([&] { return ::read(file_.get(), text_.data() + before, chunk_bytes); });
        if (count < 0) throw reports::file_error{"read", path_, errno};
        text_.resize(before + static_cast<std::size_t>(count));
        return count > 0;
    }

    static constexpr std::size_t chunk_bytes = 65536;
    std::string path_;
    reports::unique_fd file_;
    std::string text_;
    std::size_t taken_ = 0;
};

void require_header(std::string_view line, std::string_view file) {
    try {
        const reports::document header{line};
        reports::require_format(header.root(), reports::histograms_format, file);
    } catch (const reports::other_format&) {
        throw;
    } catch (const reports::format_error& error) {
        throw reports::other_format{"{} is not a valid histogram file: line 1: {}", file, error.what()};
    }
}

using cell_and_metric = std::tuple<std::string, std::string, std::string>;

std::map<cell_and_metric, reports::histogram> read_lines(const fs::path& file, const session_record& record) {
    const counting_attempts tried{record.outcome};
    const auto& workloads = record.plan.workloads;
    std::map<cell_and_metric, reports::histogram> sums;
    line_reader lines{file.native()};
    std::size_t number = 1;
    const auto refuse = [&](const std::exception& error) {
        return reports::format_error{"{} is not a valid histogram file: line {}: {}", file.native(), number,
                                     error.what()};
    };
    simdjson::dom::parser parser;
    try {
        for (; const auto text = lines.next(); ++number) {
            if (number == 1) {
                require_header(*text, file.native());
                continue;
            }
            const simdjson::dom::element line = parser.parse(text->data(), text->size());
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
    } catch (const reports::other_format&) {
        throw;
    } catch (const reports::format_error& error) {
        throw refuse(error);
    } catch (const simdjson::simdjson_error& error) {
        throw refuse(error);
    }
    return sums;
}

/// Returns the size of the file without an incomplete last line. Reads only the end of the file, because the
/// file can be larger than the memory.
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

/// Returns the first property in which the two runs differ ("seeds", "dates" or "contenders"), or an empty
/// text if they are equal. Compares more than the seeds, because different runs can have the same seed.
std::string_view what_differs(const session_record& record, const reports::report& report) {
    const auto is_of_run = [&](const reports::contender& who) {
        return std::ranges::find(record.plan.contenders, who.name, &contender::name) !=
               record.plan.contenders.end();
    };
    if (record.plan.seed != report.seed) return "seeds";
    if (record.where.date != report.where.date) return "dates";
    return std::ranges::all_of(report.contenders, is_of_run) ? "" : "contenders";
}

class joined_files {
public:
    explicit joined_files(std::vector<fs::path> folders) : folders_{std::move(folders)} {}

    std::string_view next() {
        if (!std::exchange(has_header_, true)) return line_ = header_text();
        for (;;) {
            if (!open_ && next_ == folders_.size()) return {};
            if (!open_) open((folders_[next_++] / file_name).native());
            if (const auto text = open_->next()) return line_ = std::string{*text} + "\n";
            open_.reset();
        }
    }

    static std::string header_text() {
        return reports::dump(
                   {{"schema", reports::histograms_format.schema}, {"version", loopbench_version()}}) +
               "\n";
    }

private:
    void open(const std::string& file) {
        open_.emplace(file);
        const auto header = open_->next();
        if (!header) throw reports::format_error{"{} is not a valid histogram file: the file is empty", file};
        require_header(*header, file);
    }

    std::vector<fs::path> folders_;
    std::size_t next_ = 0;
    bool has_header_ = false;
    std::optional<line_reader> open_;
    std::string line_;
};

void require_header_of(const fs::path& file) {
    line_reader lines{file.native(), "continue"};
    if (const auto header = lines.next()) require_header(*header, file.native());
}

fs::path beside(const fs::path& report_file, std::string_view name) {
    auto file = report_file.parent_path() / name;
    if (!fs::exists(file))
        throw usage_error{
            "{} does not exist; a run writes this file into the folder of its report, so use the report in "
            "that "
            "folder",
            file.native()};
    return file;
}

}  // namespace

histogram_log::histogram_log(const fs::path& folder, beginning how) : path_{folder / file_name} {
    const auto header = joined_files::header_text();
    const bool continues = how == beginning::behind_what_is_there && fs::exists(path_);
    if (continues) {
        require_header_of(path_);
        reports::remove_abandoned(path_);
    }
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

std::function<std::string_view()> joined_histograms(std::vector<fs::path> folders) {
    return [files = std::make_shared<joined_files>(std::move(folders))] { return files->next(); };
}

bool has_histograms_beside(const fs::path& report_file) {
    const auto folder = report_file.parent_path();
    return fs::exists(folder / file_name) && fs::exists(folder / journal_name);
}

std::vector<reports::histogram> histograms_in(const fs::path& folder, const session_record& record,
                                              const reports::report& report) {
    const auto merged = read_lines(folder / file_name, record);
    std::vector<reports::histogram> all;
    for (const auto& result : report.results) {
        if (result.metric != "time" || result.status != reports::result_status::ok) continue;
        for (const auto* metric : {"latency", "late"})
            if (const auto found = merged.find({result.workload, result.contender, metric});
                found != merged.end())
                all.push_back(found->second);
    }
    return all;
}

std::vector<reports::histogram> histograms_beside(const fs::path& report_file,
                                                  const reports::report& report) {
    const auto file = beside(report_file, file_name), journal = beside(report_file, journal_name);
    const auto record =
        read_journal(reports::read_file(journal.native(), journal_bytes_max), journal.native());
    if (const auto other = what_differs(record, report); !other.empty())
        throw usage_error{
            "{} and {} belong to different runs: their {} differ; use the report in the folder of its run",
            journal.native(), report_file.native(), other};
    return histograms_in(file.parent_path(), record, report);
}

}  // namespace loopbench::bench

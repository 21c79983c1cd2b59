// No fsync after a line: that would have the disk work into the next trial. A killed process loses nothing; a
// power cut may cost the last seconds.
#include "bench/experiment/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "bench/experiment/journal_read.hpp"
#include "reports/atomic_file.hpp"
#include "reports/json.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

json seconds(const std::optional<std::chrono::nanoseconds>& duration) {
    if (!duration) return nullptr;
    return std::chrono::duration<double>{*duration}.count();
}

json header(const run_plan& plan, const reports::environment& where,
            const std::vector<std::string>& command) {
    auto contenders = json::array(), described = json::array(), executables = json::array(),
         excluded = json::array();
    for (const auto& who : plan.described) described.push_back(who.context);
    for (const auto& who : plan.contenders) {
        contenders.push_back(who.name);
        const auto state = state_of(who.path);
        executables.push_back({{"path", state.path},
                               {"called", who.called},
                               {"bytes", state.bytes},
                               {"modified_ns", state.modified_ns}});
        for (const auto& workload : plan.workloads)
            if (const auto why = exclusion_before(who, workload))
                excluded.push_back({{"workload", workload},
                                    {"contender", who.name},
                                    {"status", reports::name_of(why->status)},
                                    {"reason", why->reason}});
    }
    return {{"schema", "loopbench-journal/1"},
            {"seed", plan.seed},
            {"command", command},
            {"environment", reports::to_json(where)},
            {"plan",
             {{"size", name_of(plan.size)},
              {"min_time_s", plan.min_time_s},
              {"blocks", plan.blocks},
              {"budget_s", seconds(plan.budget)},
              {"trial_limit_s", seconds(plan.trial_limit)},
              {"baseline", plan.baseline},
              {"twin", plan.twin ? json(plan.contenders[*plan.twin].name) : json(nullptr)},
              {"threshold_pct", plan.threshold_pct},
              {"correction", name_of(plan.how)},
              {"precision_pct", plan.precision_pct ? json(*plan.precision_pct) : json(nullptr)},
              {"cpu", plan.cpu ? json(*plan.cpu) : json(nullptr)},
              {"tolerated_pct", plan.tolerated_pct ? json(*plan.tolerated_pct) : json(nullptr)},
              {"counts", plan.counts},
              {"checks", plan.checks},
              {"contenders", std::move(contenders)},
              {"workloads", plan.workloads}}},
            {"described", std::move(described)},
            {"excluded", std::move(excluded)},
            {"executables", std::move(executables)}};
}

json trial_line(const run_plan& plan, const trial_record& record) {
    const auto& outcome = record.outcome;
    auto metrics = json::object();
    for (const auto& [name, value] : outcome.metrics) metrics[name] = value ? json(*value) : json(nullptr);
    return {{"block", record.block},
            {"attempt", record.attempt},
            {"workload", plan.workloads[record.where.workload]},
            {"contender", plan.contenders[record.where.contender].name},
            {"status", reports::name_of(outcome.status)},
            {"reason", outcome.reason.empty() ? json(nullptr) : json(outcome.reason)},
            {"metrics", std::move(metrics)},
            {"wall_ns", outcome.wall.count()},
            {"usage",
             {{"user_ns", outcome.usage.user_ns},
              {"system_ns", outcome.usage.system_ns},
              {"rss_max_bytes", outcome.usage.rss_max_bytes},
              {"switches_voluntary", outcome.usage.switches_voluntary},
              {"switches_involuntary", outcome.usage.switches_involuntary},
              {"run_delay_ns", outcome.usage.run_delay_ns}}},
            {"load_ns", outcome.load_ns},
            {"disturbed", outcome.disturbed.empty() ? json(nullptr) : json(outcome.disturbed)},
            {"context", outcome.context}};
}

/// Waits for a moment: a run that was killed leaves its lock to the child that it had just forked, until that
/// executes a contender or follows it. False when somebody else holds the lock.
bool lock_soon(int fd) {
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
        if (reports::uninterrupted([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }) == 0) return true;
        if (errno != EWOULDBLOCK) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

/// The folder and not the journal, because another run would replace that. Where a file system has no such
/// locks there is none.
reports::unique_fd locked_folder_of(const std::filesystem::path& file) {
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
    reports::unique_fd opened{
        reports::uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
    if (!opened) throw reports::file_error{"open", folder.native(), errno};
    if (!lock_soon(opened.get()))
        throw reports::file_error{
            fmt::format("cannot write into {}: another run writes there; wait for its end or choose another "
                        "place with -o",
                        folder.native())};
    return opened;
}

}  // namespace

void refuse_folder_in_use(const std::filesystem::path& folder) {
    if (std::filesystem::is_directory(folder)) locked_folder_of(folder / "journal.jsonl");
}

journal::journal(const std::filesystem::path& path, const run_plan& plan, const reports::environment& where,
                 const std::vector<std::string>& command)
    : path_{path.native()}, lock_{locked_folder_of(path)} {
    reports::write_file_atomically(path, reports::dump(header(plan, where, command)) + "\n");
    file_ = reports::unique_fd{
        reports::uninterrupted([&] { return ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); })};
    if (!file_) throw reports::file_error{"open", path_, errno};
}

journal::journal(const std::filesystem::path& path)
    : path_{path.native()}, lock_{locked_folder_of(path)}, file_{reports::uninterrupted([&] {
          return ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
      })} {
    if (!file_) throw reports::file_error{"continue", path_, errno};
}

void journal::keep(std::uint64_t bytes) {
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
        throw reports::file_error{"continue", path_, errno};
}

void journal::end(const run_outcome& outcome) {
    const char* how = outcome.interrupted ? "interrupted" : outcome.budget_spent ? "budget" : "complete";
    write_line({{"end", how},
                {"blocks_finished", outcome.blocks_finished},
                {"blocks_planned", outcome.blocks_planned}});
}

void journal::append(std::span<const counted_cell> cells) {
    auto counted = json::array();
    for (const auto& cell : cells)
        counted.push_back({{"workload", cell.workload},
                           {"contender", cell.contender},
                           {"metrics", cell.metrics},
                           {"samples", cell.samples},
                           {"tracer", cell.tracer},
                           {"missing", cell.missing}});
    write_line({{"counted", std::move(counted)}});
}

void journal::append(const run_plan& plan, const trial_record& record) {
    write_line(trial_line(plan, record));
}

void journal::write_line(const json& value) {
    struct stat before {};
    const bool size_known = ::fstat(file_.get(), &before) == 0;
    try {
        reports::write_all(file_.get(), reports::dump(value) + "\n", path_);
    } catch (const reports::file_error&) {
        // Take half a line back. Should that fail, too, the lines before it still stand.
        if (size_known) {
            [[maybe_unused]] const int taken_back = ::ftruncate(file_.get(), before.st_size);
        }
        throw;
    }
}

}  // namespace loopbench::bench

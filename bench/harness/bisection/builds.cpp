#include "bench/harness/bisection/builds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/harness/trial/process/interrupt.hpp"
#include "bench/harness/trial/process/orphans.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours longest_build{24};

/// Starts the build command ($1) with its output in a file ($2). A git hook sets variables such as GIT_DIR,
/// which would make git commands of the build use another tree.
constexpr const char* start_of_build =
    "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX; exec /bin/sh -c \"$1\" >\"$2\" 2>&1";

/// `git worktree add` does not check out submodules.
constexpr const char* submodules_are_empty =
    " (the submodules are empty; begin the build command with `git submodule update --init`)";

std::string text_in(const fs::path& file) {
    try {
        return reports::read_file(file.native());
    } catch (const reports::file_error&) {
        return {};
    }
}

std::string last_line_of(std::string text) {
    constexpr std::size_t longest = 200;
    const auto end = text.find_last_not_of(" \r\n\t");
    if (end == std::string::npos) return {};
    text.resize(end + 1);
    return reports::valid_utf8(text.substr(text.rfind('\n') + 1, longest));
}

/// Returns true if the end of a build's output contains an error message about a full disk or quota. The
/// message is often not the last line, because make(1) prints a line after it.
bool tells_of_full_disk(std::string_view output) {
    constexpr std::size_t searched = std::size_t{64} * 1024;
    output.remove_prefix(output.size() - std::min(output.size(), searched));
    return std::ranges::any_of(std::array{ENOSPC, EDQUOT}, [&](int error) {
        return output.find(std::generic_category().message(error)) != std::string_view::npos;
    });
}

/// Returns true if the disk of the folder is full, which a build can report in any language.
bool has_full_disk(const fs::path& folder) {
    constexpr std::uintmax_t least_bytes = std::uintmax_t{1} << 20U;
    std::error_code unknown;  // then the number is the largest one
    return fs::space(folder, unknown).available < least_bytes;
}

}  // namespace

build_cache::build_cache(const repository& of, fs::path folder, build_rules rules, int stop_fd)
    : repository_{of}, folder_{std::move(folder)}, rules_{std::move(rules)}, stop_fd_{stop_fd} {
    for (const auto* name : {"trees", "builds"}) reports::prepare_output_folder(folder_ / name);
}

fs::path build_cache::tree_of(const commit_info& commit) const {
    return folder_ / "trees" / short_id(commit);
}

fs::path build_cache::note_of(const commit_info& commit) const {
    return folder_ / "builds" / (short_id(commit) + ".json");
}

fs::path build_cache::log_of(const commit_info& commit) const {
    return folder_ / "builds" / (short_id(commit) + ".log");
}

/// Returns the content of a successful build's file: the rules, because other rules need another build.
std::string build_cache::note() const {
    const nlohmann::ordered_json rules{{"build", rules_.command}, {"program", rules_.program}};
    return reports::dump(rules) + "\n";
}

bool build_cache::is_built(const commit_info& commit) const {
    const auto file = note_of(commit);
    return fs::exists(file) && reports::read_file(file.native()) == note() && fs::exists(tree_of(commit)) &&
           fs::exists(tree_of(commit) / rules_.program);
}

built_commit build_cache::build(const commit_info& commit) const {
    const auto started = std::chrono::steady_clock::now();
    built_commit built{tree_of(commit), {}, 0, is_built(commit)};
    if (built.is_cached) return built;
    fs::remove(note_of(commit));
    fs::remove_all(built.tree);
    repository_.check_out(commit, built.tree);
    if (!rules_.command.empty()) built.failure = failure_of_build(commit);
    if (!built.failure && !fs::exists(built.tree / rules_.program))
        built.failure = fmt::format("the build left no {}", rules_.program);
    if (!built.failure) reports::write_file_atomically(note_of(commit), note());
    built.seconds = std::chrono::duration<double>{std::chrono::steady_clock::now() - started}.count();
    return built;
}

/// Throws std::runtime_error if the build failed because a disk or a quota is full, which is no property of
/// the commit. `output` is the build's output.
void build_cache::refuse_full_disk(std::string_view output) const {
    std::error_code unknown;
    const auto temporary = fs::temp_directory_path(unknown);
    if (!tells_of_full_disk(output) && !has_full_disk(folder_) && !has_full_disk(temporary)) return;
    throw std::runtime_error{fmt::format(
        "a build failed because a disk or a quota is full; make space in {} and {}, and continue with "
        "--resume",
        folder_.native(), temporary.native())};
}

std::optional<std::string> build_cache::failure_of_build(const commit_info& commit) const {
    child_request request;
    request.command = {"/bin/sh", "-c", start_of_build, "sh", rules_.command, log_of(commit).native()};
    request.folder = tree_of(commit).native();
    request.limit = longest_build;
    request.stop_fd = stop_fd_;
    const auto ended = ask(request);
    if (ended.end == child_end::stopped) throw interrupted{};
    auto failure = bench::failure_of(ended, request.limit);
    if (!failure) return std::nullopt;
    auto output = text_in(log_of(commit));
    refuse_full_disk(output);
    const auto line = last_line_of(std::move(output));
    const auto* const submodules = fs::exists(tree_of(commit) / ".gitmodules") ? submodules_are_empty : "";
    return fmt::format("{}{}{}{}", *failure, line.empty() ? "" : ": ", line, submodules);
}

}  // namespace loopbench::bench

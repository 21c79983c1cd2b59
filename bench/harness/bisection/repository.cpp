#include "bench/harness/bisection/repository.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "bench/harness/trial/process/interrupt.hpp"
#include "bench/harness/trial/process/orphans.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

constexpr std::size_t digits_of_short_id = 10;
constexpr std::string_view fields_of_commit = "--format=%H%x09%P%x09%s";

/// Parses a line that git wrote with fields_of_commit.
commit_info commit_in(const std::string& line) {
    const auto tab = line.find('\t'), next = line.find('\t', tab + 1);
    if (next == std::string::npos)
        throw std::runtime_error{"git log printed an unexpected line: " + reports::shown(line)};
    const auto parents = std::string_view{line}.substr(tab + 1, next - tab - 1);
    const auto spaces = static_cast<std::uint64_t>(std::ranges::count(parents, ' '));
    return {line.substr(0, tab), reports::valid_utf8(line.substr(next + 1)),
            parents.empty() ? 0 : spaces + 1};
}

std::string without_line_end(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace

void check_fields(const commit_info& commit, const reports::node& from) {
    constexpr std::size_t sha1 = 40, sha256 = 64;
    if ((commit.id.size() != sha1 && commit.id.size() != sha256) ||
        commit.id.find_first_not_of("0123456789abcdef") != std::string::npos)
        from.at("id").fail("expected the hash of a commit");
}

std::string short_id(const commit_info& commit) {
    return commit.id.substr(0, digits_of_short_id);
}

std::string text_of(const commit_info& commit) {
    return fmt::format("{} \"{}\"", short_id(commit), reports::printable(commit.subject));
}

repository::repository(std::filesystem::path folder, int stop_fd)
    : folder_{std::move(folder)}, stop_fd_{stop_fd} {
    const auto found = git({"rev-parse", "--git-dir"});
    constexpr int no_such_program = 127;
    if (found.code == no_such_program)
        throw usage_error{"the program git is missing; install it, or add its folder to PATH"};
    if (found.code != 0)
        throw usage_error{"{} is not in a git repository that can be read: {}; change to the repository",
                          folder_.native(), without_line_end(found.error)};
}

repository::answer repository::git(std::vector<std::string> words) const {
    child_request request;
    // A hook of the user, such as post-checkout, must not run in the tree of a commit.
    request.command = {"/usr/bin/env", "git", "-C", folder_.native(), "-c", "core.hooksPath=/dev/null"};
    request.command.insert(request.command.end(), words.begin(), words.end());
    request.environment = {{"LC_ALL", "C"}};
    request.limit = std::chrono::hours{1};
    request.stop_fd = stop_fd_;
    auto ended = ask(request);
    if (ended.end == child_end::stopped) throw interrupted{};
    if (ended.end != child_end::exited)
        throw std::runtime_error{
            fmt::format("git {} failed: {}; try it in {}", words.front(),
                        failure_of(ended, request.limit).value_or("the cause is unknown"), folder_.native())};
    return {ended.code, std::move(ended.output), std::move(ended.error_tail)};
}

std::string repository::require(std::vector<std::string> words) const {
    const auto called = fmt::format("git {}", fmt::join(words, " "));
    auto found = git(std::move(words));
    if (found.code != 0)
        throw std::runtime_error{fmt::format("`{}` failed with exit code {}: {}", called, found.code,
                                             without_line_end(found.error))};
    return std::move(found.output);
}

bool repository::is_ancestor(const commit_info& older, const commit_info& newer) const {
    return git({"merge-base", "--is-ancestor", older.id, newer.id}).code == 0;
}

std::string repository::remedy_if_shallow() const {
    return git({"rev-parse", "--is-shallow-repository"}).output == "true\n"
               ? "; this clone is shallow and lacks older commits, so run `git fetch --unshallow` first"
               : "";
}

commit_info repository::commit_of(const std::string& revision, std::string_view role) const {
    if (revision.starts_with('-'))
        throw usage_error{"{}: {} is not a revision; use a hash, a tag or a branch", role, revision};
    const auto found = git({"rev-parse", "--verify", revision + "^{commit}"});
    if (found.code != 0 && found.error.find("is ambiguous") != std::string::npos)
        throw usage_error{"{}: several commits or objects have the short hash {}; use more digits", role,
                          revision};
    if (found.code != 0)
        throw usage_error{
            "{}: the repository has no commit {}{}", role, revision,
            remedy_if_shallow().empty() ? "; use a hash, a tag or a branch" : remedy_if_shallow()};
    return commit_in(
        without_line_end(require({"log", "--no-show-signature", "--no-walk", std::string{fields_of_commit},
                                  without_line_end(found.output), "--"})));
}

std::vector<commit_info> repository::line(const commit_info& good, const commit_info& bad) const {
    if (good.id == bad.id)
        throw usage_error{"GOOD and BAD are the same commit, {}; use two commits", short_id(good)};
    if (!is_ancestor(good, bad)) refuse_unrelated(good, bad);
    std::vector<commit_info> all;
    std::istringstream lines{
        require({"log", "--no-show-signature", "--first-parent", "--reverse", std::string{fields_of_commit},
                 fmt::format("{}..{}", good.id, bad.id), "--"})};
    for (std::string line; std::getline(lines, line);) all.push_back(commit_in(line));
    if (all.empty()) throw std::runtime_error{"git log printed no commits"};
    const auto before = git({"rev-parse", "--verify", "--quiet", all.front().id + "^1"});
    const auto parent = without_line_end(before.output);
    if (parent != good.id)
        throw usage_error{
            "GOOD ({}) is not on the first-parent line of BAD ({}): a merge brought it there, and only the "
            "commits of this line are candidates; use {} as GOOD{}",
            short_id(good), short_id(bad),
            parent.empty() ? std::string{"an older commit"}
                           : fmt::format("{}, the last commit of the line before it,",
                                         parent.substr(0, digits_of_short_id)),
            remedy_if_shallow()};
    return all;
}

void repository::refuse_unrelated(const commit_info& good, const commit_info& bad) const {
    if (is_ancestor(bad, good))
        throw usage_error{"GOOD ({}) is newer than BAD ({}); exchange the two", short_id(good),
                          short_id(bad)};
    if (const auto shallow = remedy_if_shallow(); !shallow.empty())
        throw usage_error{"GOOD ({}) is not an ancestor of BAD ({}) here{}", short_id(good), short_id(bad),
                          shallow};
    const auto base = git({"merge-base", good.id, bad.id});
    throw usage_error{"GOOD ({}) is not an ancestor of BAD ({}); {}", short_id(good), short_id(bad),
                      base.code == 0 ? fmt::format("use their merge base, {}, as GOOD",
                                                   base.output.substr(0, digits_of_short_id))
                                     : "they have no common ancestor, so use other commits"};
}

void repository::check_out(const commit_info& commit, const std::filesystem::path& tree) const {
    // --force twice: an earlier bisection can have been killed after git had registered and locked the tree.
    require({"worktree", "add", "--quiet", "--force", "--force", "--detach", tree.native(), commit.id});
}

}  // namespace loopbench::bench

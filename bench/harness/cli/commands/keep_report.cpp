#include "bench/harness/cli/commands/keep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/history/store.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

namespace {

std::optional<std::string> git(std::vector<std::string> arguments) {
    child_request request;
    request.command = {"/usr/bin/env", "git"};
    request.command.insert(request.command.end(), arguments.begin(), arguments.end());
    request.limit = std::chrono::seconds{10};
    const auto ran = run_child(request);
    if (ran.end != child_end::exited || ran.code != 0) return std::nullopt;
    return ran.output;
}

provenance of_current_folder() {
    provenance from;
    from.commit = git({"rev-parse", "HEAD"}).value_or("");
    while (from.commit.ends_with('\n')) from.commit.pop_back();
    if (from.commit.empty()) return from;
    if (const auto changed = git({"status", "--porcelain", "--untracked-files=no"}))
        from.dirty = !changed->empty();
    return from;
}

}  // namespace

void prepare_history(const std::string& place) {
    const store opened{place, opening::created_if_missing};
}

void keep_report(const reports::report& report, const std::string& place) {
    if (!report.complete) {
        tell(
            "loopbench: the run was interrupted, so it is not in the history; finish it with `loopbench run "
            "--resume`, and add it with `loopbench history add`\n");
        return;
    }
    try {
        store history{place, opening::created_if_missing};
        const auto added = history.add(entry_of(report, of_current_folder()));
        tell("loopbench: added the report as run {} to the history in {}\n", added.run, history.place());
    } catch (const database_error& error) {
        throw database_error{
            "{}; the report itself was written, so you can add it later with `loopbench history add`",
            error.what()};
    }
}

std::string without_password_in(const std::string& word) {
    const auto begin = std::min(word.find("postgresql://"), word.find("postgres://"));
    if (begin == std::string::npos) return word;
    return word.substr(0, begin) + without_password(std::string_view{word}.substr(begin));
}

}  // namespace loopbench::bench

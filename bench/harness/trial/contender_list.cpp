#include "bench/harness/trial/contender_list.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/asio_use.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/listing.hpp"
#include "bench/harness/trial/process/orphans.hpp"
#include "bench/harness/trial/process/program_in_path.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;

namespace {

/// Throws usage_error if the contender's name is not valid UTF-8. Reports identify contenders by name, and
/// therefore cannot replace invalid bytes in a name.
void require_utf8(const contender& who) {
    if (reports::valid_utf8(who.name) != who.name)
        throw usage_error{
            "the name of the contender {} is not valid UTF-8, so a report cannot contain it; rename the file",
            who.path.native()};
}

child_request listing_of(const contender& who, std::chrono::nanoseconds limit, int stop_fd) {
    child_request request;
    request.command = {who.path.native()};
    request.command.insert(request.command.end(), who.arguments.begin(), who.arguments.end());
    request.command.emplace_back("--benchmark_list_tests=true");
    request.environment.assign(who.environment.begin(), who.environment.end());
    request.folder = who.folder.native();
    request.limit = limit;
    request.stop_fd = stop_fd;
    return request;
}

bool is_contender(const fs::directory_entry& entry) {
    std::error_code unreadable;
    return !entry.path().filename().native().starts_with('.') && entry.is_regular_file(unreadable) &&
           ::access(entry.path().c_str(), X_OK) == 0;
}

}  // namespace

file_state state_of_file(const fs::path& file) {
    struct stat found {};
    file_state state{file.native()};
    if (::stat(file.c_str(), &found) != 0) return state;
    state.bytes = found.st_size;
    state.modified_ns = std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
    state.inode = static_cast<std::int64_t>(found.st_ino);
    return state;
}

/// Returns the state of the contender's loopbench-generator, or nothing if no such file is found. Searches in
/// the same places as bench/suite/workloads/sockets/generator_process.cpp.
std::optional<file_state> generator_of(const contender& who) {
    constexpr std::string_view name = "loopbench-generator";
    const char* const chosen = std::getenv("LOOPBENCH_GENERATOR");
    std::error_code unresolved;
    const auto here = fs::canonical(who.path, unresolved).parent_path();
    for (const fs::path& file :
         {fs::path(chosen != nullptr ? chosen : ""), here.parent_path() / name, here / name})
        if (!file.empty() && ::access(file.c_str(), X_OK) == 0) return state_of_file(file);
    return std::nullopt;
}

void remember_asio_use(contender& who, const fs::path& program) {
    if (const char* const name = std::getenv(asio_loop_variable)) who.environment[asio_loop_variable] = name;
    const auto found = program.has_parent_path() ? program.native() : program_in_path(program.native());
    who.asio_dropin = found && has_dropin_note(*found);
}

void remember_files(contender& who) {
    who.files.clear();
    std::ranges::transform(who.layouts, std::back_inserter(who.files), state_of_file);
    if (who.layouts.empty()) who.files.push_back(state_of_file(who.path));
    who.generator = generator_of(who);
}

static void remember_file(contender& who, const fs::path& file) {
    if (std::ranges::find(who.files, file.native(), &file_state::path) == who.files.end())
        who.files.push_back(state_of_file(file));
}

std::vector<std::string> libraries_in(std::string_view traced) {
    std::vector<std::string> all;
    std::istringstream lines{std::string{traced}};
    for (std::string line; std::getline(lines, line);) {
        // A line has the form "name => /path (0x...)" or "/path (0x...)".
        const auto start = line.find('/'), end = line.rfind(" (0x");
        if (line.starts_with('\t') && start < end && end != std::string::npos)
            all.push_back(line.substr(start, end - start));
    }
    return all;
}

void remember_libraries(contender& who, std::chrono::nanoseconds limit, int stop_fd) {
    // If the loader ignores the variable LD_TRACE_LOADED_OBJECTS, the program runs, but with these arguments
    // it only prints an empty list of benchmarks.
    auto request = listing_of(who, limit, stop_fd);
    request.command.emplace_back("--benchmark_filter=^$");
    request.environment.emplace_back("LD_TRACE_LOADED_OBJECTS", "1");
    for (const auto& library : libraries_in(ask(request).output)) remember_file(who, library);
}

void remember_named_files(contender& who, const nlohmann::ordered_json& context) {
    const auto named = context.find("files");
    if (who.files.empty() || named == context.end()) return;
    std::error_code unresolved;
    const auto folder = fs::canonical(who.path, unresolved).parent_path();
    const auto remember = [&](const nlohmann::ordered_json& name) {
        if (name.is_string()) remember_file(who, folder / name.get_ref<const std::string&>());
    };
    remember(*named);
    if (named->is_array()) std::ranges::for_each(*named, remember);
}

std::optional<std::string> changed_file(const contender& who) {
    const auto is_other = [](const file_state& then) { return state_of_file(then.path) != then; };
    const auto found = std::ranges::find_if(who.files, is_other);
    if (found != who.files.end()) return found->path;
    if (who.generator && is_other(*who.generator)) return who.generator->path;
    return std::nullopt;
}

fs::path installed_program(std::string_view name, std::string_view remedy) {
    auto file = installed_file(name);
    if (!fs::exists(file)) throw usage_error{"{} is not installed; {}", file.native(), remedy};
    return file;
}

fs::path default_contender_dir() {
    return installed_file("contenders");
}

std::vector<contender> find_contenders(std::span<const fs::path> folders) {
    std::vector<contender> all;
    std::set<fs::path> seen;
    for (const auto& folder : folders) {
        std::error_code error;
        if (const auto real = fs::canonical(folder, error); !error && !seen.insert(real).second) continue;
        for (const auto& entry : fs::directory_iterator{folder, error})
            if (is_contender(entry))
                all.push_back({entry.path().filename().native(), fs::absolute(entry.path()), {}, {}});
        if (error) throw reports::file_error{"read the contender folder", folder.native(), error.value()};
    }
    std::ranges::for_each(all, require_utf8);
    for (auto& who : all) remember_asio_use(who, who.path);
    std::ranges::for_each(all, remember_files);
    std::ranges::sort(all, {}, &contender::name);
    const auto twice = std::ranges::adjacent_find(all, {}, &contender::name);
    if (twice != all.end())
        throw usage_error{"two contenders have the name {}: {} and {}; rename one of the files", twice->name,
                          twice->path.native(), std::next(twice)->path.native()};
    return all;
}

const listed_benchmark* find_benchmark(const contender& who, std::string_view workload) {
    const auto found = std::ranges::find(who.benchmarks, workload, &listed_benchmark::workload);
    return found == who.benchmarks.end() ? nullptr : &*found;
}

namespace {

std::optional<std::string> list_within(const shared_limit& limit, contender& who, workload_size size,
                                       int stop_fd, const std::string& filter) {
    auto request = listing_of(who, limit.left(), stop_fd);
    request.environment.emplace_back("LOOPBENCH_SIZE", name_of(size));
    listing found;
    auto failure = list_names(request, filter, limit, found);
    who.benchmarks = failure ? std::vector<listed_benchmark>{} : benchmarks_named(found.names);
    who.other_text = std::move(found.left_out);
    return failure;
}

}  // namespace

std::optional<std::string> list_benchmarks(contender& who, workload_size size, std::chrono::nanoseconds limit,
                                           int stop_fd, const std::string& filter) {
    return list_within(shared_limit{limit}, who, size, stop_fd, filter);
}

layout_check check_layout(const contender& who, const fs::path& layout, workload_size size,
                          std::chrono::nanoseconds limit, int stop_fd, const std::string& filter) {
    auto other = who;
    other.path = layout;
    auto request = listing_of(other, limit, stop_fd);
    request.environment.emplace_back("LOOPBENCH_SIZE", name_of(size));
    if (!filter.empty()) request.command.push_back("--benchmark_filter=" + filter);
    const auto outcome = ask(request);
    if (auto failure = failure_of(outcome, limit)) return {std::move(failure), {}};
    const auto lines = lines_of(outcome.output);
    text_lines names;
    for (const auto& each : who.benchmarks) names.push_back(each.printed);
    if (const auto missing = found_in(names, lines, false); !missing.empty())
        return {{}, fmt::format("it lacks the benchmark {}", reports::shown(missing.front()))};
    if (const auto more = found_in(lines, names, false); !more.empty() && who.other_text.empty())
        return {{}, fmt::format("only it has the benchmark {}", reports::shown(more.front()))};
    return {};
}

void list_workloads(contender& who, workload_size size, std::chrono::nanoseconds limit, int stop_fd,
                    const std::string& filter) {
    const shared_limit all{limit};
    if (const auto failure = list_within(all, who, size, stop_fd, filter)) {
        who.problem = fmt::format("cannot list the contender's workloads: {}", *failure);
        return;
    }
    who.workloads.clear();
    std::ranges::transform(who.benchmarks, std::back_inserter(who.workloads), &listed_benchmark::workload);
    if (who.workloads.empty())
        who.problem =
            "cannot list the contender's workloads: the contender printed nothing for "
            "--benchmark_list_tests=true";
    if (!who.files.empty()) remember_libraries(who, all.left(), stop_fd);
}

}  // namespace loopbench::bench

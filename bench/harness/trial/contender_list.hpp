// Finds the available contenders (the executables in the contender folders) and asks each for its workloads.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/catalog/workload_size.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/words.hpp"

namespace loopbench::bench {

using reports::name_of;

/// The state of a file. Writing to the file or replacing the file changes at least one of the numbers.
struct file_state {
    std::string path;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    bool operator==(const file_state&) const = default;
};

/// Returns the file's state. All numbers are 0 if the file does not exist.
file_state state_of_file(const std::filesystem::path& file);

struct contender {
    std::string name;  // the file's name
    std::filesystem::path path;
    std::vector<std::string> workloads;  // full names, in the contender's order
    std::string problem = {};            // the reason if listing the workloads failed; otherwise empty
    std::string called = {};             // argv[0] in trials; if empty, argv[0] is `path`
    /// The benchmarks of `workloads`, in the same order; empty if the listing is unknown.
    std::vector<listed_benchmark> benchmarks = {};
    std::string min_time_unit = {};  // "s" if its library wants a unit after --benchmark_min_time
    std::map<std::string, std::string> environment = {};  // additional variables for trials
    /// The layouts: builds that differ only in the order of their functions. Each block uses one layout, and
    /// `path` is the first layout. If `layouts` is empty, `path` is the only build.
    std::vector<std::filesystem::path> layouts = {};
    /// The states of the contender's files before measuring; see remember_files(), remember_libraries() and
    /// remember_named_files(). If `files` is empty, the contender's files are not checked for changes.
    std::vector<file_state> files = {};
    std::optional<file_state> generator = {};
};

/// The environment variables of a trial whose client runs on another machine. The first variable contains the
/// address of this machine to which the client connects. The second variable contains the command that starts
/// the client.
inline constexpr const char* serve_on_variable = "LOOPBENCH_SERVE_ON";
inline constexpr const char* generator_on_variable = "LOOPBENCH_GENERATOR_ON";

/// The environment variable with which a user chooses the loop of asio_compat programs
/// (docs/asio-programs.md). remember_asio_loop() stores the current value in the contender, so that all
/// trials of a session use the same value, even after the session is resumed.
inline constexpr const char* asio_loop_variable = "LOOPBENCH_ASIO";
void remember_asio_loop(contender& who);

/// Returns the state of the client program that the contender would start for serve/open_loop, or nothing if
/// that program does not exist.
std::optional<file_state> generator_of(const contender& who);

/// Stores the current states of the generator and of the executable in `who`. If `who` has layouts, stores
/// the states of all layouts instead of the state of the executable.
void remember_files(contender& who);

/// Returns the paths of the libraries in the output of ld.so(8) with LD_TRACE_LOADED_OBJECTS.
std::vector<std::string> libraries_in(std::string_view traced);

/// Adds the libraries that the loader finds for the executable, or for a script's interpreter, to
/// `who.files`, because a build can change a library without changing the executable. Does not add the
/// modules of a script; see remember_named_files().
void remember_libraries(contender& who, std::chrono::nanoseconds limit, int stop_fd);

/// Adds the files that the contender lists under "files" in its context to `who.files`. The value of "files"
/// is a path or a list of paths, absolute or relative to the contender's folder. Does nothing if `who.files`
/// is empty.
void remember_named_files(contender& who, const nlohmann::ordered_json& context);

/// Returns the path of the first file that has changed since its state was stored, or nothing if all files
/// are unchanged. Numbers from two versions of a file must not be mixed. Checks the generator for every
/// workload, because building the generator disturbs the trials of all workloads.
std::optional<std::string> changed_file(const contender& who);

/// Returns `../libexec/loopbench/contenders` (relative to this executable) if that folder exists, otherwise
/// `contenders` beside this executable.
std::filesystem::path default_contender_dir();

/// Returns the contenders in these folders, sorted by name. Sets the `files` of each contender, but not its
/// `workloads`. A folder that is given twice is searched once. Throws usage_error if two contenders have the
/// same name or a name is not UTF-8, and reports::file_error if a folder cannot be read.
std::vector<contender> find_contenders(std::span<const std::filesystem::path> folders);

/// Returns the benchmark of this workload, or nullptr if the contender's listing is unknown.
const listed_benchmark* find_benchmark(const contender& who, std::string_view workload);

/// Sets `who.benchmarks` from the contender's listing for workloads of this size. Returns the reason if the
/// contender fails; `who.benchmarks` is then empty.
std::optional<std::string> list_benchmarks(contender& who, workload_size size, std::chrono::nanoseconds limit,
                                           int stop_fd, const std::string& filter = {});

/// Asks the contender for its workloads of this size. Sets `who.workloads`, or `who.problem` if the contender
/// fails or has no workloads. Then adds the contender's libraries to `who.files`, unless the contender failed
/// or `who.files` is empty. Stops early when `stop_fd` becomes readable.
void list_workloads(contender& who, workload_size size, std::chrono::nanoseconds limit, int stop_fd,
                    const std::string& filter = {});

}  // namespace loopbench::bench

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

struct file_state {
    std::string path;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    bool operator==(const file_state&) const = default;
};

/// Returns the size, the modification time and the inode of the file. If the file does not exist, these
/// numbers are 0.
file_state state_of_file(const std::filesystem::path& file);

struct contender {
    std::string name;
    std::filesystem::path path;
    std::vector<std::string> workloads;
    std::string problem = {};  // empty if listing the workloads succeeded
    /// Empty if the listing is unknown, otherwise in the order of `workloads`.
    std::vector<listed_benchmark> benchmarks = {};
    /// Lines that the program printed with the names, but that are no names (listing.hpp).
    std::vector<std::string> other_text = {};
    std::string min_time_unit = {};  // "s" if its library needs a unit after --benchmark_min_time
    std::map<std::string, std::string> environment = {};
    bool asio_dropin = false;           // the measured program was compiled with loopbench/asio/dropin.hpp
    std::filesystem::path folder = {};  // the working directory of its processes; empty: that of the harness
    std::vector<std::string> arguments =
        {};  // passed to a third-party program before the flags of Google Benchmark
    /// The executables of all layouts, which differ only in the order of their functions. Each block uses one
    /// of them. If this vector is not empty, `path` is its first element.
    std::vector<std::filesystem::path> layouts = {};
    /// The contender's files, each with its size, modification time and inode. If `files` is empty, changes
    /// of the files are not detected.
    std::vector<file_state> files = {};
    std::optional<file_state> generator = {};
};

/// The variables of a trial whose client runs on another machine. LOOPBENCH_SERVE_ON contains the address of
/// this machine to which the client connects. LOOPBENCH_GENERATOR_ON contains the command that starts the
/// client.
inline constexpr const char* serve_on_variable = "LOOPBENCH_SERVE_ON";
inline constexpr const char* generator_on_variable = "LOOPBENCH_GENERATOR_ON";

/// The variable with which a user chooses the loop of asio_compat programs (docs/asio-programs.md).
inline constexpr const char* asio_loop_variable = "LOOPBENCH_ASIO";

/// Stores the value of LOOPBENCH_ASIO, and whether the program was compiled with asio_compat's drop-in
/// header. Thus all trials of a session use the same value, even if the session is resumed later. `program`
/// is the measured program; without a folder, it is searched in PATH. The contender's executable can be
/// another one that starts it.
void remember_asio_use(contender& who, const std::filesystem::path& program);

std::optional<file_state> generator_of(const contender& who);

void remember_files(contender& who);

/// Returns the libraries' paths in the text that ld.so(8) prints if LD_TRACE_LOADED_OBJECTS is set.
std::vector<std::string> libraries_in(std::string_view traced);

/// Adds to `who.files` the libraries that the loader finds for the executable or for a script's interpreter,
/// because a build can change a library without changing the executable.
void remember_libraries(contender& who, std::chrono::nanoseconds limit, int stop_fd);

/// Adds to `who.files` the files that the context names under "files": a path or a list of paths, absolute or
/// relative to the contender's folder. Does nothing if `who.files` is empty.
void remember_named_files(contender& who, const nlohmann::ordered_json& context);

/// Returns the path of the first file that has changed since its state was stored: one of `who.files` or the
/// generator. The generator is checked even for workloads that do not use it, because building it disturbs
/// the trials of all workloads.
std::optional<std::string> changed_file(const contender& who);

/// Returns the path of a program that belongs to loopbench. Throws usage_error, which names `remedy`, if the
/// program is not installed.
std::filesystem::path installed_program(std::string_view name, std::string_view remedy);

/// Returns `../libexec/loopbench/contenders` (relative to the folder of this executable) if that folder
/// exists, otherwise `contenders` beside this executable.
std::filesystem::path default_contender_dir();

/// Returns the contenders in the folders, sorted by name. Their `files` are set, but their `workloads` are
/// empty. Throws usage_error if two contenders have the same name or a name is not UTF-8, and
/// reports::file_error if a folder cannot be read.
std::vector<contender> find_contenders(std::span<const std::filesystem::path> folders);

const listed_benchmark* find_benchmark(const contender& who, std::string_view workload);

/// Lists the contender's benchmarks in `who.benchmarks`. If the contender fails, returns the reason, and
/// `who.benchmarks` is empty. `filter` is a regular expression for --benchmark_filter. If it selects no
/// benchmark, all benchmarks are listed. All starts of the contender share the time limit.
std::optional<std::string> list_benchmarks(contender& who, workload_size size, std::chrono::nanoseconds limit,
                                           int stop_fd, const std::string& filter = {});

struct layout_check {
    std::optional<std::string> failure;     // of the listing
    std::optional<std::string> difference;  // from `who.benchmarks`
};

/// Lists the benchmarks of another layout of `who`, with one start, and compares them with `who.benchmarks`.
layout_check check_layout(const contender& who, const std::filesystem::path& layout, workload_size size,
                          std::chrono::nanoseconds limit, int stop_fd, const std::string& filter);

/// Asks the contender for its workloads of this size. Sets `who.workloads`, or `who.problem` if the contender
/// fails or has no workloads. Then adds the contender's libraries to `who.files`, unless the contender failed
/// or `who.files` is empty. All starts of the contender share the time limit. Stops early when `stop_fd`
/// becomes readable.
void list_workloads(contender& who, workload_size size, std::chrono::nanoseconds limit, int stop_fd,
                    const std::string& filter = {});

}  // namespace loopbench::bench

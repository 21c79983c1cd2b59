// The available contenders: the executables in the contender folders, each asked for its workloads.
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
#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/words.hpp"

namespace loopbench::bench {

using reports::name_of;

/// The state of a file. Writing to the file or replacing it changes one of these values.
struct file_state {
    std::string path;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    bool operator==(const file_state&) const = default;
};

/// Returns the file's state; everything is 0 if the file does not exist.
file_state state_of_file(const std::filesystem::path& file);

struct contender {
    std::string name;  // the file's name
    std::filesystem::path path;
    std::vector<std::string> workloads;  // full names, in the contender's order
    std::string problem;                 // why it could not list its workloads; empty when it could
    std::string called = {};             // argv[0] of its trials; empty: its path
    std::map<std::string, std::string> environment = {};  // more variables for its trials
    /// Builds that differ only in the order of their functions; each block uses one of them, and `path` is
    /// the first. If empty, `path` is the only build.
    std::vector<std::filesystem::path> layouts = {};
    /// The files that the contender consists of, as they were before it was measured: see remember_files(),
    /// remember_libraries() and remember_named_files(). If empty, changes are not checked.
    std::vector<file_state> files = {};
    std::optional<file_state> generator = {};
};

/// The variables of a trial whose client runs on another machine: our address as seen from there, and the
/// command that starts the client.
inline constexpr const char* serve_on_variable = "LOOPBENCH_SERVE_ON";
inline constexpr const char* generator_on_variable = "LOOPBENCH_GENERATOR_ON";

/// The variable in which a user chooses the loop of asio_compat programs (docs/asio-programs.md). Trials get
/// the value of the session's beginning, also when the session is resumed.
inline constexpr const char* asio_loop_variable = "LOOPBENCH_ASIO";
void remember_asio_loop(contender& who);

/// Returns the client of serve/open_loop that the contender would start; nothing if it would find none.
std::optional<file_state> generator_of(const contender& who);

/// Stores the present state of the executable, or of the layouts, and of the generator.
void remember_files(contender& who);

/// Returns the libraries in the output of ld.so(8) with LD_TRACE_LOADED_OBJECTS.
std::vector<std::string> libraries_in(std::string_view traced);

/// Adds the libraries that the loader finds for the executable, or for a script's interpreter: some builds
/// rebuild a library and leave the executable as it is. A script's modules are unknown; the script can name
/// them.
void remember_libraries(contender& who, std::chrono::nanoseconds limit, int stop_fd);

/// Adds the files in its context: "files", a path or a list of paths, which may be relative to the
/// contender's folder. Does nothing if changes are not checked.
void remember_named_files(contender& who, const nlohmann::ordered_json& context);

/// Returns the first file that has changed since it was remembered: numbers from both versions would describe
/// neither. The generator counts for every workload, because a build of it disturbs all of them.
std::optional<std::string> changed_file(const contender& who);

/// Returns `contenders/` beside this executable or, if it exists, `../libexec/loopbench/contenders`.
std::filesystem::path default_contender_dir();

/// Returns the contenders in these folders, sorted by name, with their files remembered and without
/// workloads. A folder that is given twice counts once. Throws usage_error if two contenders have the same
/// name or a name is not UTF-8, and reports::file_error if a folder cannot be read.
std::vector<contender> find_contenders(std::span<const std::filesystem::path> folders);

/// Asks the contender for its workloads, or stores the problem, and remembers its libraries. Stops early when
/// `stop_fd` becomes readable.
void list_workloads(contender& who, workload_size size, std::chrono::nanoseconds limit, int stop_fd);

}  // namespace loopbench::bench

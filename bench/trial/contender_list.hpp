// Which contenders there are: the executables in the contender folders, each asked for its workloads.
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

#include "bench/trial/usage_error.hpp"
#include "reports/words.hpp"

namespace loopbench::bench {

using reports::name_of;

/// How much work a contender gives its workloads; it reads this from the environment variable LOOPBENCH_SIZE.
enum class workload_size { smoke, real };

constexpr auto names_of(workload_size) {
    return std::to_array<std::string_view>({"smoke", "real"});
}

/// A file as it was. Who writes into it, or puts another in its place, changes one of these.
struct file_state {
    std::string path;
    std::int64_t bytes = 0, modified_ns = 0, inode = 0;
    bool operator==(const file_state&) const = default;
};

/// Of a file that is not there everything is 0.
file_state state_of_file(const std::filesystem::path& file);

struct contender {
    std::string name;  // the file's name
    std::filesystem::path path;
    std::vector<std::string> workloads;  // full names, in the contender's order
    std::string problem;                 // why it could not list its workloads; empty when it could
    std::string called = {};             // what a trial calls itself (argv[0]); empty: its path
    std::map<std::string, std::string> environment = {};  // more variables for its trials
    /// Builds that differ in the order of their functions alone, of which each block has one; `path` is the
    /// first of them. Empty: there is `path` alone.
    std::vector<std::filesystem::path> layouts = {};
    /// What it is made of, from before it is measured on: see remember_files(), remember_libraries() and
    /// remember_named_files(). Empty: nobody looks.
    std::vector<file_state> files = {};
    std::optional<file_state> generator = {};
};

/// By which trials are told that this client runs on another machine: our address there, and the command that
/// starts it.
inline constexpr const char* serve_on_variable = "LOOPBENCH_SERVE_ON";
inline constexpr const char* generator_on_variable = "LOOPBENCH_GENERATOR_ON";

/// By which a user says what programs of asio_compat run on (docs/asio-programs.md). Trials have what was
/// said as the session began, also when it is resumed.
inline constexpr const char* asio_loop_variable = "LOOPBENCH_ASIO";
void remember_asio_loop(contender& who);

/// The client of serve/open_loop that the contender would start; nothing when it would find none.
std::optional<file_state> generator_of(const contender& who);

/// Notes the executable, or the layouts, and the generator, as they are now.
void remember_files(contender& who);

/// The libraries in what ld.so(8) prints with LD_TRACE_LOADED_OBJECTS.
std::vector<std::string> libraries_in(std::string_view traced);

/// Adds the libraries that the loader finds for the executable, or for a script's interpreter: some builds
/// leave the executable as it is when they make one of these anew. A script's modules are not known: it may
/// name them itself.
void remember_libraries(contender& who, std::chrono::nanoseconds limit, int stop_fd);

/// Adds the files that it names in its context, as it describes itself: "files", a path or a list of them,
/// which may be relative to its own folder. Nothing where nobody looks.
void remember_named_files(contender& who, const nlohmann::ordered_json& context);

/// The first of the files that its trials are made with which is not as it was remembered: what is measured
/// with both is of neither. A generator counts for every workload: what builds it works beside all of them.
std::optional<std::string> changed_file(const contender& who);

/// `contenders/` beside this executable or, where it exists, `../libexec/loopbench/contenders`.
std::filesystem::path default_contender_dir();

/// The contenders in these folders by name, with their files remembered and without workloads; a folder that
/// is named twice counts once. Throws usage_error when two have the same name or one has none in UTF-8,
/// reports::file_error when a folder cannot be read.
std::vector<contender> find_contenders(std::span<const std::filesystem::path> folders);

/// Asks the contender for its workloads, or notes the problem, and remembers its libraries. Stops early when
/// `stop_fd` becomes readable.
void list_workloads(contender& who, workload_size size, std::chrono::nanoseconds limit, int stop_fd);

}  // namespace loopbench::bench

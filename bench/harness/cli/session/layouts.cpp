#include "bench/harness/cli/session/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/trial/contender_list.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t fewest_layouts = 6;  // a 95 % interval needs at least six samples (median.hpp)

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
    throw usage_error{"the folder {} {}", folder.native(), why};
}

void require_layouts(const fs::path& folder, std::size_t count) {
    if (count == 0)
        refuse(folder, fs::exists(folder / "report.json")
                           ? "contains no executables; to compare two reports, name their files report.json"
                           : "contains no executables; expected builds of one program, each linked with a "
                             "different order of its functions");
    if (count < fewest_layouts || count > layouts_max)
        refuse(folder,
               fmt::format(
                   "contains {} executables, but a comparison of layouts needs {} to {} executables; put a "
                   "suitable number of layouts into the folder, or compare two executables instead",
                   count, fewest_layouts, layouts_max));
}

void require_names_of_one_length(const fs::path& folder, const std::vector<fs::path>& files) {
    for (const auto& file : files)
        if (file.native().size() != files.front().native().size())
            refuse(folder,
                   fmt::format(
                       "contains {} and {}, whose names differ in length; a longer name moves the program's "
                       "stack and changes its speed; use names of one length, such as 01 and 12",
                       files.front().filename().native(), file.filename().native()));
}

void require_one_size(const fs::path& folder, const std::vector<fs::path>& files) {
    constexpr double most_for_padding = 1.05;
    const auto [least, most] =
        std::ranges::minmax_element(files, {}, [](const fs::path& file) { return fs::file_size(file); });
    if (static_cast<double>(fs::file_size(*most)) >
        most_for_padding * static_cast<double>(fs::file_size(*least)))
        refuse(folder,
               fmt::format("contains {} ({} bytes) and {} ({} bytes), whose sizes differ too much for "
                           "layouts of one program; remove the executables of other programs from the folder",
                           least->filename().native(), fs::file_size(*least), most->filename().native(),
                           fs::file_size(*most)));
}

void require_differences(const fs::path& folder, const std::vector<fs::path>& files) {
    std::map<std::size_t, fs::path> seen;  // the key is the hash of the file's contents
    for (const auto& file : files) {
        const auto [before, is_new] =
            seen.emplace(std::hash<std::string>{}(reports::read_file(file.native())), file);
        if (!is_new)
            refuse(folder,
                   fmt::format(
                       "contains the identical files {} and {}, so the linker did not shuffle the functions; "
                       "compile with -ffunction-sections, and link each layout with its own seed",
                       before->second.filename().native(), file.filename().native()));
    }
}

}  // namespace

std::vector<fs::path> layouts_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& who : find_contenders(std::array{folder})) files.push_back(who.path);
    require_layouts(folder, files.size());
    require_names_of_one_length(folder, files);
    require_one_size(folder, files);
    require_differences(folder, files);
    return files;
}

}  // namespace loopbench::bench

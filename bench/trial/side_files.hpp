// The files in which contenders leave what their output cannot carry: bench/contenders/side_file.hpp says
// what is in them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reports/hgrm.hpp"
#include "reports/json_node.hpp"

namespace loopbench::bench {

/// One histogram of a side file, of one trial and without its contender, which is not in it. Throws
/// reports::format_error.
reports::histogram read_histogram(const reports::node& from);

/// A path for one side file after the other, in a folder of its own that goes with it.
class side_file_place {
public:
    /// Throws std::system_error when the folder for temporary files cannot be written to.
    side_file_place();
    side_file_place(const side_file_place&) = delete;
    side_file_place& operator=(const side_file_place&) = delete;
    ~side_file_place();

    [[nodiscard]] std::string path() const { return (folder_ / "side.json").native(); }

    /// The histograms of `workload` in the file that a process has left, which is removed; an empty list when
    /// it left none. Throws reports::format_error when it is no side file, or cannot be read.
    nlohmann::ordered_json take(std::string_view workload) const;

private:
    std::filesystem::path folder_;
};

}  // namespace loopbench::bench

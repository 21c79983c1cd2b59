#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loopbench::bench {

/// Returns the path of the program in the folders of PATH, or nothing if there is no such program.
std::optional<std::string> program_in_path(std::string_view name);

}  // namespace loopbench::bench

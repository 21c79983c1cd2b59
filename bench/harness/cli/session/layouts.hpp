// Layouts are builds of one program that differ only in the order of their functions. This order alone
// changes a program's speed by some per cent. Each block uses a random layout, so that the interval of a
// ratio includes this effect.
#pragma once

#include <filesystem>
#include <vector>

namespace loopbench::bench {

/// Returns the executable files in the folder, sorted by name. Throws usage_error unless there are 6 to
/// layouts_max different files; fewer than 6 samples give no interval. Also throws usage_error if the names
/// have different lengths (see add_aa_copy in plan.hpp), or if the file sizes differ by more than 5 %. Throws
/// reports::file_error if the folder or a file cannot be read.
std::vector<std::filesystem::path> layouts_in(const std::filesystem::path& folder);

}  // namespace loopbench::bench

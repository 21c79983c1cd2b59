// A folder of builds: one program, linked several times with its functions in another order. Where the same
// code comes to lie moves its speed by some per cent; with a build drawn for each block, that is noise which
// the interval shows, and no difference.
#pragma once

#include <filesystem>
#include <vector>

namespace loopbench::bench {

/// The builds in a folder, in the order of their names: every executable file in it. Throws usage_error when
/// they cannot be layouts of one program: there are fewer than six (of fewer, no interval says what layout
/// does) or more than layouts_max, their names differ in length (which moves the stack, see add_twin in
/// plan.hpp), two are the same file (nothing was shuffled), or their sizes differ by more than padding does.
/// reports::file_error when the folder or a file in it cannot be read.
std::vector<std::filesystem::path> layouts_in(const std::filesystem::path& folder);

}  // namespace loopbench::bench

// A folder of layouts: one program, linked several times with its functions in different orders. Code
// placement alone changes the speed by some per cent. Because each block uses a randomly drawn layout, this
// effect becomes noise, which the interval covers, and does not look like a difference.
#pragma once

#include <filesystem>
#include <vector>

namespace loopbench::bench {

/// Returns the builds in a folder (every executable file in it), sorted by name. Throws usage_error if they
/// cannot be layouts of one program: there are fewer than six (too few for an interval that covers code
/// placement) or more than layouts_max, their names differ in length (which moves the stack, see add_aa_copy
/// in plan.hpp), two files are equal (nothing was shuffled), or their sizes differ by more than padding
/// explains. Throws reports::file_error if the folder or a file in it cannot be read.
std::vector<std::filesystem::path> layouts_in(const std::filesystem::path& folder);

}  // namespace loopbench::bench

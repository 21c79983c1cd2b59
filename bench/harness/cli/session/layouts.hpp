// A folder of layouts contains one program that was linked several times, each time with its functions in a
// different order. Code placement alone changes the speed by some per cent. Because each block uses a random
// layout, this effect is noise that the interval covers, and does not look like a difference.
#pragma once

#include <filesystem>
#include <vector>

namespace loopbench::bench {

/// Returns the builds in a folder (every executable file in it), sorted by name. Throws usage_error if the
/// files cannot be layouts of one program. There must be at least six (fewer give no interval) and at most
/// layouts_max files. Their names must have the same length, because the length moves the stack (see
/// add_aa_copy in plan.hpp). No two files may be equal, because then nothing was shuffled. Their sizes must
/// not differ by more than padding explains. Throws reports::file_error if the folder or a file in it cannot
/// be read.
std::vector<std::filesystem::path> layouts_in(const std::filesystem::path& folder);

}  // namespace loopbench::bench

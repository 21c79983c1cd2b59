// A folder of layouts contains one program that was linked several times, each time with its functions in a
// different order. Code placement alone changes the speed of a program by some per cent. Each block uses a
// random layout. Therefore the interval of a ratio includes the effect of code placement, so that this effect
// is not mistaken for a difference between two builds.
#pragma once

#include <filesystem>
#include <vector>

namespace loopbench::bench {

/// Returns the executable files in the folder, sorted by name. Throws usage_error if these files cannot be
/// layouts of one program. There must be at least 6 files, because fewer samples give no interval, and at
/// most layouts_max files. The names must have the same length, because the length of a program's name moves
/// its stack (see add_aa_copy in plan.hpp). All files must be different, because identical files have the
/// same link order. The largest file can be at most 5 % larger than the smallest file, because padding causes
/// only small differences. Throws reports::file_error if the folder or one of the files cannot be read.
std::vector<std::filesystem::path> layouts_in(const std::filesystem::path& folder);

}  // namespace loopbench::bench

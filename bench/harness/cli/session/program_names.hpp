// Chooses the names that readers see for the two programs of a comparison.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace loopbench::bench {

/// Returns two different names for the programs (or folders) with these paths: the shortest ends of the paths
/// that differ, for example "old" and "new", or "build-a/bench" and "build-b/bench". Replaces the middle of a
/// long name by "...". If both paths are equal, returns names like "bench" and "bench (new)".
std::pair<std::string, std::string> program_names(const std::filesystem::path& base,
                                                  const std::filesystem::path& next);

}  // namespace loopbench::bench

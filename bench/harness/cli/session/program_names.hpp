// Names the two programs of a comparison for readers.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace loopbench::bench {

/// Returns two different names for the programs (or folders) with these paths: the shortest ends of the paths
/// that differ, for example "old" and "new", or "build-a/bench" and "build-b/bench". Replaces the middle of a
/// long name by "...". For one path twice, returns "bench" and "bench (new)".
std::pair<std::string, std::string> program_names(const std::filesystem::path& base,
                                                  const std::filesystem::path& next);

}  // namespace loopbench::bench

#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace loopbench::bench {

/// Returns a name for each program: the shortest end of its path that differs from the other program's, for
/// example "build-a/bench" and "build-b/bench". Replaces the middle of a long name by "...". Equal paths get
/// names like "bench" and "bench (new)".
std::pair<std::string, std::string> program_names(const std::filesystem::path& base,
                                                  const std::filesystem::path& next);

}  // namespace loopbench::bench

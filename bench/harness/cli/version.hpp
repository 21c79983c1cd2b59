#pragma once

#include <string>

namespace loopbench::bench {

/// Returns the commit of the sources of this program, followed by ", with changes" if they were changed, or
/// "unknown".
const char* source_commit();

/// Returns the text of `loopbench --version`: the version in the first line, then one line each for the
/// commit, the compiler and the built-in features.
std::string version_text();

}  // namespace loopbench::bench

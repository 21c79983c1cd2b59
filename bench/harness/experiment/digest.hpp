// Computes checksums that distinguish the contents of files, with libuuid.
#pragma once

#include <string>
#include <string_view>

namespace loopbench::bench {

/// Returns 122 bits of the content's SHA-1, in the format of RFC 4122 (version 5). `space` is a fixed random
/// UUID for each kind of content. libuuid accepts contents below 4 GiB; the files here are limited to less
/// than 1 GiB.
std::string digest(const char* space, std::string_view content);

}  // namespace loopbench::bench

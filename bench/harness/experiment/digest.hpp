// Computes checksums of file contents with libuuid.
#pragma once

#include <string>
#include <string_view>

namespace loopbench::bench {

/// Returns 122 bits of the content's SHA-1, in the format of RFC 4122 (version 5). `space` is a random UUID
/// that is fixed for each kind of content. `content` must be smaller than 4 GiB, which is a limit of libuuid.
std::string digest(const char* space, std::string_view content);

}  // namespace loopbench::bench

#pragma once

#include <string>
#include <string_view>

namespace loopbench::bench {

/// Returns 122 bits of the SHA-1 of `space` and `content` as a UUID of version 5 (RFC 4122). `space` is a
/// random UUID that is fixed for each kind of content. `content` must be smaller than 4 GiB, which is a limit
/// of libuuid.
std::string digest(const char* space, std::string_view content);

}  // namespace loopbench::bench

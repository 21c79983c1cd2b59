// What tells a content from any other, by libuuid.
#pragma once

#include <string>
#include <string_view>

namespace loopbench::bench {

/// 122 bits of the content's SHA-1, as RFC 4122 writes them (version 5). `space` is a UUID that was drawn
/// once for what digests are made of in one place. libuuid takes less than 4 GiB, and no file here may have
/// more than one.
std::string digest(const char* space, std::string_view content);

}  // namespace loopbench::bench

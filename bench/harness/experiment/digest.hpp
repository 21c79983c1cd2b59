// A digest that distinguishes contents, by libuuid.
#pragma once

#include <string>
#include <string_view>

namespace loopbench::bench {

/// Returns 122 bits of the content's SHA-1, in the form of RFC 4122 (version 5). `space` is a UUID that was
/// drawn once for one kind of content. libuuid accepts less than 4 GiB; files here are limited to less than
/// one.
std::string digest(const char* space, std::string_view content);

}  // namespace loopbench::bench

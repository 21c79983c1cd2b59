// What is said on standard error. Nobody listening there is no reason to fail, and fmt::print would throw.
#pragma once

#include <cstdio>
#include <string_view>

namespace loopbench::bench {

inline void tell(std::string_view text) {
    [[maybe_unused]] const auto written = std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace loopbench::bench

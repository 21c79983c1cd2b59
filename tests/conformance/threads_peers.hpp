#pragma once

#include "bench/suite/threads/uv_each.hpp"

namespace loopbench::conformance {

template <class Use>
void for_each_threads_contestant(Use use) {
    use(threads_contestant<bench::uv_each_runtime>{
        "libuv-reuseport", [](auto& plan) { return std::make_unique<bench::uv_each_runtime>(plan); }});
}

}  // namespace loopbench::conformance

// The reference runtime on this project's loops is runtime.hpp, with this project's io_context in place of
// boost::asio::io_context. (CMake adds the header loopbench/asio/dropin.hpp.)
#pragma once

#include <cstdlib>
#include <memory>

#include "asio_ref/runtime.hpp"

namespace loopbench::asio_ref {

static_assert(std::is_same_v<boost::asio::io_context, loopbench::asio::io_context>,
              "this source file is compiled without loopbench/asio/dropin.hpp; link the CMake target "
              "loopbench_asio_on_loop, which adds it");

/// Returns a runtime on `design`, which is "epoll" or "io_uring". Throws std::system_error if the kernel
/// refuses the design. Call this function before other threads start, because it sets an environment
/// variable.
inline std::unique_ptr<runtime> make_runtime_on_loop(const char* design) {
    ::setenv("LOOPBENCH_ASIO", design, 1);
    return std::make_unique<runtime>();
}

}  // namespace loopbench::asio_ref

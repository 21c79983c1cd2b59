// The select runtime is the reference runtime on Asio's select backend. CMake defines
// BOOST_ASIO_DISABLE_EPOLL for the whole program.
#pragma once

#include <string_view>

#include "asio_ref/runtime.hpp"

namespace loopbench::asio_ref {

/// A runtime for descriptor numbers below 1024. On other descriptors, Asio completes an operation with an
/// error (fd_set_failure, which is not an errno).
class select_runtime : public runtime {
public:
    static constexpr std::string_view name = "asio-select";
};

}  // namespace loopbench::asio_ref

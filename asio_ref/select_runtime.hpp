// The reference runtime on Asio's select backend. Its source is runtime.hpp; CMake defines
// BOOST_ASIO_DISABLE_EPOLL for the whole program.
#pragma once

#include <string_view>

#include "asio_ref/runtime.hpp"

namespace loopbench::asio_ref {

/// A runtime that cannot wait for descriptor numbers of 1024 and above. Asio completes an operation on such a
/// descriptor with an error (fd_set_failure, which is not an errno). Do not use this runtime with 1024 or
/// more descriptors.
class select_runtime : public runtime {
public:
    static constexpr std::string_view name = "asio-select";
};

}  // namespace loopbench::asio_ref

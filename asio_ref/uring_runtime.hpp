// The io_uring runtime is the reference runtime on Asio's io_uring backend. CMake defines
// BOOST_ASIO_HAS_IO_URING and BOOST_ASIO_DISABLE_EPOLL for the whole program.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <string_view>
#include <system_error>

#include "asio_ref/context_options.hpp"
#include "asio_ref/runtime.hpp"

namespace loopbench::asio_ref {

/// A probe that makes Asio set up its io_uring backend in a temporary io_context. If the kernel refuses
/// io_uring, the probe throws std::system_error before a workload starts. A runtime that does no I/O then
/// still has no ring, just as asio-epoll without I/O has no epoll descriptor.
class uring_probe {
public:
    uring_probe() {
        try {
            boost::asio::io_context context(1);
            const timer makes_a_ring(context.get_executor());
        } catch (const boost::system::system_error& error) {
            throw std::system_error(
                error.code().value(), std::system_category(),
                "io_uring_setup failed: seccomp, the sysctl kernel.io_uring_disabled or the "
                "kernel forbids io_uring; allow it, or leave out the contender asio-uring");
        }
    }
};

class uring_runtime : uring_probe, public runtime {
public:
    static constexpr std::string_view name = "asio-uring";

    uring_runtime() : runtime(context_argument_of(1, "scheduler.concurrency_hint=1")) {}
};

}  // namespace loopbench::asio_ref

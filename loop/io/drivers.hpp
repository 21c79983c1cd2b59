// The functions that create drivers throw std::system_error if the kernel refuses the driver or one of the
// driver's own descriptors (EMFILE).
#pragma once

#include <memory>
#include <string>

#include "loop/io/io.hpp"

namespace loopbench::loop {

struct uring_limits;
class uring_ring;

std::unique_ptr<driver> make_retry_driver(ready_queue& ready);
std::unique_ptr<driver> make_select_driver(ready_queue& ready);
std::unique_ptr<driver> make_poll_driver(ready_queue& ready);
std::unique_ptr<driver> make_epoll_driver(ready_queue& ready);
std::unique_ptr<driver> make_io_uring_driver(ready_queue& ready);

/// A driver on io_uring, for Linux 6.1 or later. Any thread may create the driver; it belongs to the first
/// thread that calls wait(). The first wait() also submits the operations that were started before it.
class io_uring_driver : public driver {
public:
    virtual const uring_ring& ring() const noexcept = 0;

protected:
    using driver::driver;
};
std::unique_ptr<io_uring_driver> make_limited_io_uring_driver(ready_queue& ready, const uring_limits& limits);

/// Returns an empty string if this process can use io_uring; otherwise the error message, with the likely
/// cause and the remedy.
std::string io_uring_refusal();

}  // namespace loopbench::loop

// The existing drivers, with the interface of io.hpp. Each throws std::system_error if the kernel refuses a
// descriptor for it (EMFILE) or refuses the driver itself.
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

/// A driver over io_uring, for Linux 6.1 or later. Any thread may create it; it belongs to the first thread
/// that waits in it. Operations started before that wait are kept until then.
class io_uring_driver : public driver {
public:
    virtual const uring_ring& ring() const noexcept = 0;

protected:
    using driver::driver;
};
/// For callers that count its work, or want it small.
std::unique_ptr<io_uring_driver> make_limited_io_uring_driver(ready_queue& ready, const uring_limits& limits);

/// Returns why io_uring cannot be used here, with the likely cause and the remedy; returns an empty string if
/// it can be used.
std::string io_uring_refusal();

}  // namespace loopbench::loop

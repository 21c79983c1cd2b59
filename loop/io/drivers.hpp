// The drivers that there are, behind the interface of io.hpp. Each throws std::system_error when the kernel
// refuses a descriptor for it (EMFILE), or the driver itself.
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

/// Linux 6.1 or later. It may be made in any thread, and belongs to the first one that waits in it: what is
/// started before is kept until then.
class io_uring_driver : public driver {
public:
    virtual const uring_ring& ring() const noexcept = 0;

protected:
    using driver::driver;
};
/// For who counts what it does, or wants it small.
std::unique_ptr<io_uring_driver> make_limited_io_uring_driver(ready_queue& ready, const uring_limits& limits);

/// Why io_uring cannot be used here, with the likely cause and the remedy; empty when it can.
std::string io_uring_refusal();

}  // namespace loopbench::loop

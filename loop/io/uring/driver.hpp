// The io_uring driver for who counts what it does, or wants it small; loops have it from drivers.hpp.
#pragma once

#include <memory>

#include "loop/io/io.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::loop {

/// Linux 6.1 or later. It may be made in any thread, and belongs to the first one that waits in it: what is
/// started before is kept until then.
class io_uring_driver : public driver {
public:
    virtual const uring_ring& ring() const noexcept = 0;

protected:
    using driver::driver;
};

/// Throws std::system_error that says what io_uring_refusal() says.
std::unique_ptr<io_uring_driver> make_io_uring_driver(ready_queue& ready, const uring_limits& limits);

}  // namespace loopbench::loop

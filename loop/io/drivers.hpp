// The drivers that there are, behind the interface of io.hpp. Each throws std::system_error when the kernel
// refuses a descriptor for it (EMFILE), or the driver itself.
#pragma once

#include <memory>
#include <string>

#include "loop/io/io.hpp"

namespace loopbench::loop {

std::unique_ptr<driver> make_retry_driver(ready_queue& ready);
std::unique_ptr<driver> make_select_driver(ready_queue& ready);
std::unique_ptr<driver> make_poll_driver(ready_queue& ready);
std::unique_ptr<driver> make_epoll_driver(ready_queue& ready);
std::unique_ptr<driver> make_io_uring_driver(ready_queue& ready);

/// Why io_uring cannot be used here, with the likely cause and the remedy; empty when it can.
std::string io_uring_refusal();

}  // namespace loopbench::loop

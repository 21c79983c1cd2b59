#pragma once

#include "loop/loop.hpp"

namespace loopbench::loop {

struct design {
    std::string_view name;
    std::string_view driver;  // select, poll, epoll, io_uring or none
    std::string_view about;
    std::unique_ptr<event_loop> (*make)(const design& self, clock* other_clock);
};

/// Returns all designs, the simplest first.
std::span<const design> designs() noexcept;

const design* find_design(std::string_view name) noexcept;

/// Returns a loop of the named design. Throws std::invalid_argument if no design has this name. Throws
/// std::system_error, with the cause and the remedy, if the kernel refuses the design's driver. If
/// `other_clock` is not null, it replaces the kernel's clock and must outlive the loop.
std::unique_ptr<event_loop> make_loop(std::string_view design, clock* other_clock = nullptr);

}  // namespace loopbench::loop

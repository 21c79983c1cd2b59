// The designs: the loops that have names.
#pragma once

#include "loop/loop.hpp"

namespace loopbench::loop {

struct design {
    std::string_view name;
    std::string_view driver;  // select, poll, epoll, io_uring or none
    std::string_view about;   // one sentence
    std::unique_ptr<event_loop> (*make)(const design& self, clock* other_clock);
};

/// Returns all designs, ordered from the naive to the fast.
std::span<const design> designs() noexcept;

/// Returns null if there is no such design.
const design* find_design(std::string_view name) noexcept;

/// Makes a loop of a design. Throws std::invalid_argument if there is no design of this name, and
/// std::system_error with the cause and the remedy if the kernel refuses its driver. Tests replace the
/// kernel's clock with `other_clock`, which must outlive the loop.
std::unique_ptr<event_loop> make_loop(std::string_view design, clock* other_clock = nullptr);

}  // namespace loopbench::loop

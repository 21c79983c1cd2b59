// The designs: the loops that have a name.
#pragma once

#include "loop/loop.hpp"

namespace loopbench::loop {

struct design {
    std::string_view name;
    std::string_view driver;  // select, poll, epoll, io_uring or none
    std::string_view about;   // one sentence
    std::unique_ptr<event_loop> (*make)(const design& self, clock* other_clock);
};

/// All of them, in the order of the ladder from the naive to the fast.
std::span<const design> designs() noexcept;

/// Null when there is no such design.
const design* find_design(std::string_view name) noexcept;

/// A loop of that design. Throws std::invalid_argument when there is none of the name, and std::system_error
/// with the cause and the remedy when the kernel refuses its driver. Tests put a clock of their own in the
/// place of the kernel's, which must outlive the loop.
std::unique_ptr<event_loop> make_loop(std::string_view design, clock* other_clock = nullptr);

}  // namespace loopbench::loop

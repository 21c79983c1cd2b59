// The common parts of the examples: the choice of the loop that they run on, and of the speed of time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "loop/examples/virtual_time.hpp"
#include "loop/loop.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::examples {

/// An option that only one program has. `value` holds the default, later the given value.
struct option {
    std::string name;
    std::string help;
    std::variant<bool*, int*, double*, std::vector<std::string>*> value;
};

/// The description of an example. `design` is the default: the design of the program's own tutorial. Empty
/// for a program that builds its own loop.
struct program {
    std::string about;
    std::string design = {};
    std::vector<option> options = {};
    bool only_in_virtual_time = false;
};

/// Returns a duration of the tutorial, scaled by the requested speed.
loop::nanoseconds scaled(loop::nanoseconds documented);
loop::nanoseconds scaled_seconds(double documented);

/// Checks the value of an option --port. Throws std::invalid_argument if there is no such port.
std::uint16_t checked_port(int given);

/// Returns the duration in milliseconds, for printing.
double milliseconds(loop::nanoseconds duration);

/// Returns the clock of a program in virtual time; null if the program runs in real time.
virtual_clock* jumping_clock() noexcept;

/// For a program that builds its own loop: returns the time of the machine's clock or of the virtual clock.
loop::time_point now();

/// Runs an example: calls body(loop) on the chosen design. Returns the exit code: 0 if it ran, 1 if it
/// failed, 2 if the arguments are wrong or the design cannot run here.
int run_example(int argc, char** argv, const program& described,
                const std::function<void(loop::event_loop&)>& body);

/// Like run_example(), for a program that builds its own loop.
int run_on_its_own_loop(int argc, char** argv, const program& described, const std::function<void()>& body);

}  // namespace loopbench::examples

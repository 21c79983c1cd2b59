// The common parts of the examples: the options that choose the loop and the speed of time.
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

/// An additional option of one program. `value` points to the default value, which the option on the command
/// line replaces.
struct option {
    std::string name;
    std::string help;
    std::variant<bool*, int*, double*, std::vector<std::string>*> value;
};

/// The description of an example. `design` is the default design, which is that of the program's tutorial.
/// `design` is empty for a program that builds its own loop.
struct program {
    std::string about;
    std::string design = {};
    std::vector<option> options = {};
    bool only_in_virtual_time = false;
};

/// Returns a duration from the tutorial divided by the requested speed.
loop::nanoseconds scaled(loop::nanoseconds documented);
loop::nanoseconds scaled_seconds(double documented);

/// Returns the value of an option --port. Throws std::invalid_argument if the value is not a port number.
std::uint16_t checked_port(int given);

/// Returns the duration in milliseconds, for printing.
double milliseconds(loop::nanoseconds duration);

/// Returns the virtual clock, or null if the program runs in real time.
virtual_clock* jumping_clock() noexcept;

/// Returns the time of the virtual clock, or of the machine's clock in real time. For programs that build
/// their own loop.
loop::time_point now();

/// Runs an example: calls body(loop) with a loop of the chosen design. Returns the exit code: 0 if the
/// example succeeded, 1 if it failed, 2 if the arguments are wrong or the design cannot run here.
int run_example(int argc, char** argv, const program& described,
                const std::function<void(loop::event_loop&)>& body);

/// Does the same as run_example() for a program that builds its own loop: calls body().
int run_on_its_own_loop(int argc, char** argv, const program& described, const std::function<void()>& body);

}  // namespace loopbench::examples

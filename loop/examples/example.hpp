// The common parts of the examples, such as the options that choose the loop and the speed of time.
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

/// The description of an example. `design` is the default design, which is the design of the program's
/// tutorial. For a program that builds its own loop, `design` is empty.
struct program {
    std::string about;
    std::string design = {};
    std::vector<option> options = {};
    bool only_in_virtual_time = false;
};

/// Returns the tutorial's duration `documented`, divided by the speed that the user requested.
loop::nanoseconds scaled(loop::nanoseconds documented);
loop::nanoseconds scaled_seconds(double documented);

/// Converts the value of the option --port to a port number. Throws std::invalid_argument if the value is not
/// from 0 to 65535.
std::uint16_t checked_port(int given);

/// Returns the duration in milliseconds, for printing.
double milliseconds(loop::nanoseconds duration);

/// Returns the virtual clock, or null if the program runs in real time.
virtual_clock* jumping_clock() noexcept;

/// Returns the time of the virtual clock or, if the program runs in real time, of the machine's clock.
/// Programs that build their own loop use this function.
loop::time_point now();

/// Runs an example: calls body(loop) with a loop of the chosen design. Returns the exit code: 0 if the
/// example succeeded, 1 if it failed, 2 if the arguments are wrong or the design cannot run here.
int run_example(int argc, char** argv, const program& described,
                const std::function<void(loop::event_loop&)>& body);

/// Runs an example that builds its own loop: calls body(). Returns the same exit codes as run_example().
int run_on_its_own_loop(int argc, char** argv, const program& described, const std::function<void()>& body);

}  // namespace loopbench::examples

// What the examples have in common: the choice of the loop that they run on, and of how fast time goes.
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

/// An option that only one program has. `value` holds the default, and then what was given.
struct option {
    std::string name;
    std::string help;
    std::variant<bool*, int*, double*, std::vector<std::string>*> value;
};

/// `design` is the one of the program's own document: it runs there unless told otherwise. Empty for a
/// program that builds its own loop.
struct program {
    std::string about;
    std::string design = {};
    std::vector<option> options = {};
    bool only_in_virtual_time = false;
};

/// A duration of the document, at the speed that was asked for.
loop::nanoseconds scaled(loop::nanoseconds documented);
loop::nanoseconds scaled_seconds(double documented);

/// Of an option --port. Throws std::invalid_argument when there is no such port.
std::uint16_t checked_port(int given);

/// As a number for printing.
double milliseconds(loop::nanoseconds duration);

/// The clock of a program in virtual time; null in the machine's.
virtual_clock* jumping_clock() noexcept;

/// For a program that builds its own loop: what time it is, by the machine's clock or by the one that jumps.
loop::time_point now();

/// The main() of an example: calls body(loop) on the chosen design. Exit codes: 0 it ran, 1 it failed, 2 the
/// arguments are wrong or the design cannot run here.
int run_example(int argc, char** argv, const program& described,
                const std::function<void(loop::event_loop&)>& body);

/// As run_example(), for a program that builds its own loop.
int run_on_its_own_loop(int argc, char** argv, const program& described, const std::function<void()>& body);

}  // namespace loopbench::examples

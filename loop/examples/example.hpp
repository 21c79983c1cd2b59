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

struct option {
    std::string name;
    std::string help;
    std::variant<bool*, int*, double*, std::vector<std::string>*> value;
};

/// The description of an example. `design` is the default design; it is empty if the program has its own
/// loop.
struct program {
    std::string about;
    std::string design = {};
    std::vector<option> options = {};
    bool only_in_virtual_time = false;
};

loop::nanoseconds scaled(loop::nanoseconds documented);
loop::nanoseconds scaled_seconds(double documented);

/// Returns the value of the option --port. Throws std::invalid_argument if the value is not from 0 to 65535.
std::uint16_t checked_port(int given);

double milliseconds(loop::nanoseconds duration);

virtual_clock* jumping_clock() noexcept;

loop::time_point now();

/// Calls body(loop) with a loop of the chosen design. Returns the exit code: 0 if the example succeeded, 1 if
/// it failed, 2 if the arguments are wrong or the design cannot run here.
int run_example(int argc, char** argv, const program& described,
                const std::function<void(loop::event_loop&)>& body);

int run_on_its_own_loop(int argc, char** argv, const program& described, const std::function<void()>& body);

}  // namespace loopbench::examples

// What the examples have in common: the choice of the loop that they run on, and of how fast time goes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include "loop/clock.hpp"
#include "loop/designs.hpp"
#include "loop/examples/virtual_time.hpp"

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

namespace detail {

inline constexpr int exit_usage = 2;

struct choice {
    std::optional<int> exit_code;  // there is nothing to run: help, a list, an error that was reported
    std::string design;
    bool virtual_time = false;
};

choice parse(int argc, char** argv, const program& described);
int refuse(const std::string& design, const std::string& reason);
int finish(const std::string& design, const std::function<void()>& body);

template <class Runtime, class Body>
int run_on(const std::string& design, Body& body) {
    std::optional<Runtime> runtime;
    try {
        runtime.emplace();
    } catch (const std::system_error& error) {
        return refuse(design, error.what());
    }
    return finish(design, [&] { body(*runtime); });
}

}  // namespace detail

/// The main() of an example: calls body(runtime) on the chosen design. Exit codes: 0 it ran, 1 it failed, 2
/// the arguments are wrong or the design cannot run here.
template <class Body>
int run_example(int argc, char** argv, const program& described, Body body) {
    const detail::choice chosen = detail::parse(argc, argv, described);
    if (chosen.exit_code) return *chosen.exit_code;
    int exit_code = detail::exit_usage;
    loop::for_each_design([&]<class Runtime>() {
        if (Runtime::name != chosen.design) return;
        exit_code = chosen.virtual_time
                        ? detail::run_on<typename in_virtual_time<Runtime>::type>(chosen.design, body)
                        : detail::run_on<Runtime>(chosen.design, body);
    });
    return exit_code;
}

/// As run_example(), for a program that builds its own loop: calls body(clock).
template <class Body>
int run_with_clock(int argc, char** argv, const program& described, Body body) {
    const detail::choice chosen = detail::parse(argc, argv, described);
    if (chosen.exit_code) return *chosen.exit_code;
    return detail::finish("its own loop", [&] {
        if (chosen.virtual_time) {
            body(virtual_clock{});
        } else {
            body(loop::monotonic_clock{});
        }
    });
}

}  // namespace loopbench::examples

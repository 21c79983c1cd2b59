#include "loop/examples/example.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <type_traits>

#include "loop/designs.hpp"

namespace loopbench::examples {

namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

double speed = 1;
std::optional<virtual_clock> virtual_time;

struct choice {
    std::optional<int> exit_code;
    std::string design;
};

std::vector<std::string> design_names() {
    std::vector<std::string> names;
    for (const loop::design& each : loop::designs()) names.emplace_back(each.name);
    return names;
}

void add_options(CLI::App& app, const program& described) {
    for (const option& added : described.options) {
        std::visit(
            [&]<class T>(T* value) {
                if constexpr (std::is_same_v<T, bool>) {
                    app.add_flag(added.name, *value, added.help);
                } else {
                    app.add_option(added.name, *value, added.help)->capture_default_str();
                }
            },
            added.value);
    }
}

choice parse(int argc, char** argv, const program& described) {
    choice chosen{.exit_code = {}, .design = described.design};
    bool jumps = described.only_in_virtual_time;
    bool list = false;
    CLI::App app(described.about);
    if (!described.design.empty()) {
        app.add_flag("--list", list, "Print the names of all designs");
        app.add_option("--design", chosen.design, "Run the example on the loop of this design")
            ->check(CLI::IsMember(design_names()))
            ->capture_default_str();
    }
    app.add_option("--speed", speed, "Divide all durations by this number")
        ->check(CLI::Range(0.001, 1000.0))
        ->capture_default_str();
    app.add_flag("--virtual-time", jumps,
                 "Do not wait; instead, move the loop's clock forward to the next deadline");
    add_options(app, described);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        chosen.exit_code = app.exit(error) == 0 ? 0 : exit_usage;
        return chosen;
    }
    if (jumps) virtual_time.emplace();
    if (list) {
        for (const std::string& name : design_names()) fmt::print("{}\n", name);
        chosen.exit_code = 0;
    }
    return chosen;
}

int refuse(const std::string& design, const std::string& reason) {
    fmt::print(stderr,
               "{} cannot run here: {}; choose another design with --design (--list prints all names)\n",
               design, reason);
    return exit_usage;
}

int finish(const std::string& design, const std::function<void()>& body) {
    // With line buffering, a program that reads the output through a pipe receives each line immediately.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    try {
        body();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            fmt::print(stderr, "cannot write to standard output; check that the disk is not full\n");
            return exit_failed;
        }
        return 0;
    } catch (const std::invalid_argument& error) {
        fmt::print(stderr, "{}\n", error.what());
        return exit_usage;
    } catch (const std::exception& error) {
        fmt::print(stderr, "failed on {}: {}\n", design, error.what());
        return exit_failed;
    }
}

}  // namespace

loop::nanoseconds scaled(loop::nanoseconds documented) {
    return std::chrono::duration_cast<loop::nanoseconds>(documented / speed);
}

loop::nanoseconds scaled_seconds(double documented) {
    return std::chrono::duration_cast<loop::nanoseconds>(std::chrono::duration<double>(documented / speed));
}

std::uint16_t checked_port(int given) {
    if (given < 0 || given > 65535)
        throw std::invalid_argument(fmt::format("'{}' is not a valid --port; expected 0 to 65535", given));
    return static_cast<std::uint16_t>(given);
}

double milliseconds(loop::nanoseconds duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

virtual_clock* jumping_clock() noexcept {
    return virtual_time ? &*virtual_time : nullptr;
}

loop::time_point now() {
    return virtual_time ? virtual_time->now() : std::chrono::steady_clock::now();
}

int run_example(int argc, char** argv, const program& described,
                const std::function<void(loop::event_loop&)>& body) {
    const choice chosen = parse(argc, argv, described);
    if (chosen.exit_code) return *chosen.exit_code;
    std::unique_ptr<loop::event_loop> made;
    try {
        made = loop::make_loop(chosen.design, jumping_clock());
    } catch (const std::system_error& error) {
        return refuse(chosen.design, error.what());
    }
    return finish(chosen.design, [&] { body(*made); });
}

int run_on_its_own_loop(int argc, char** argv, const program& described, const std::function<void()>& body) {
    const choice chosen = parse(argc, argv, described);
    return chosen.exit_code ? *chosen.exit_code : finish("its own loop", body);
}

}  // namespace loopbench::examples

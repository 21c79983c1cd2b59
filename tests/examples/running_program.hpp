// An example program that runs as a child; the test writes its input and reads its output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::tests {

/// The end of a program.
struct program_end {
    int exit_code = -1;  // -1: a signal ended it
    std::string output;  // the part that read_line() has not taken
    std::string errors;
};

/// A running example. The child ends with this object, and with the test.
class running_program {
public:
    /// Starts the executable `name` of the examples. `input` becomes its standard input; without one,
    /// standard input is a pipe that type() writes into.
    running_program(const std::string& name, const std::vector<std::string>& arguments,
                    loop::unique_fd input = {});
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;
    ~running_program();

    void type(std::string_view text);
    void end_input() { input_.reset(); }

    /// Prevents the child from now on from getting a descriptor of this number or above (EMFILE).
    void limit_descriptors(unsigned limit) const;

    /// Stops the child; it stands still when stop() returns, until go_on().
    void stop() const;
    void go_on() const;

    /// Waits for the next line of its output and returns it without the newline. Returns an empty line at the
    /// end.
    std::string read_line();

    /// Waits until the program ends.
    program_end end();

private:
    bool read_more();

    int pid_;
    loop::unique_fd input_;
    loop::unique_fd output_;
    loop::unique_fd errors_;
    std::string read_;
};

/// Runs a program to its end, with nothing to read.
program_end run_program(const std::string& name, const std::vector<std::string>& arguments);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace loopbench::tests

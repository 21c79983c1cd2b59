// Runs an example program as a child process. The test writes the child's input and reads its output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::tests {

/// The end of a program.
struct program_end {
    int exit_code = -1;  // -1 means that a signal ended the program
    std::string output;  // the output that read_line() has not returned
    std::string errors;
};

/// A running example. The child ends when this object is destroyed, or when the test's process ends.
class running_program {
public:
    /// Starts the executable `name` of the examples. `input` becomes its standard input. Without `input`, its
    /// standard input is a pipe that type() writes into.
    running_program(const std::string& name, const std::vector<std::string>& arguments,
                    loop::unique_fd input = {});
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;
    ~running_program();

    void type(std::string_view text);
    void end_input() { input_.reset(); }

    /// From now on, the child cannot get a descriptor of this number or above (EMFILE).
    void limit_descriptors(unsigned limit) const;

    /// Stops the child until go_on(). The child has stopped when this function returns.
    void stop() const;
    void go_on() const;

    /// Waits for the next line of the child's output. Returns the line without the newline, or an empty
    /// string at the end of the output.
    std::string read_line();

    /// Waits until the program ends. Returns how it ended.
    program_end end();

private:
    bool read_more();

    int pid_;
    loop::unique_fd input_;
    loop::unique_fd output_;
    loop::unique_fd errors_;
    std::string read_;
};

/// Runs a program to its end, with an empty standard input.
program_end run_program(const std::string& name, const std::vector<std::string>& arguments);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace loopbench::tests

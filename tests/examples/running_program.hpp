// Runs an example program as a child process. The test writes the child's input and reads its output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::tests {

/// The exit code and the output of a program that has ended.
struct program_end {
    int exit_code = -1;  // -1 if a signal ended the program
    std::string output;  // the part of the output that read_line() has not returned
    std::string errors;
};

/// A running example, which is a child process. The child is killed when this object is destroyed or when
/// the test's process ends.
class running_program {
public:
    /// Starts the executable `name` of the examples with `input` as its standard input. Without `input`, the
    /// standard input is a pipe into which type() writes.
    running_program(const std::string& name, const std::vector<std::string>& arguments,
                    loop::unique_fd input = {});
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;
    ~running_program();

    void type(std::string_view text);
    void end_input() { input_.reset(); }

    /// Limits the child's descriptor numbers: from now on, the child cannot open a descriptor whose number is
    /// `limit` or higher (EMFILE).
    void limit_descriptors(unsigned limit) const;

    /// Stops the child until go_on() is called. Waits until the child has stopped.
    void stop() const;
    void go_on() const;

    /// Waits for the next line of the child's output. Returns the line without the newline, or an empty
    /// string at the end of the output.
    std::string read_line();

    /// Waits until the program ends. Returns its exit code and its remaining output.
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

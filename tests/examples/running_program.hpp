// One of the example programs, run as a child whose input and output are the test's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::tests {

/// How a program ended.
struct program_end {
    int exit_code = -1;  // -1: a signal ended it
    std::string output;  // what read_line() has not taken
    std::string errors;
};

/// The child dies with this object, and with the test.
class running_program {
public:
    /// `name`: of the executable among the examples. `input` becomes its standard input; without one it is a
    /// pipe into which type() writes.
    running_program(const std::string& name, const std::vector<std::string>& arguments,
                    loop::unique_fd input = {});
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;
    ~running_program();

    void type(std::string_view text);
    void end_input() { input_.reset(); }

    /// From here on it gets no descriptor of this number or above (EMFILE).
    void limit_descriptors(unsigned limit) const;

    /// It stands still, from when stop() returns, until go_on().
    void stop() const;
    void go_on() const;

    /// The next line of its output, without the newline; waits for it. Empty at the end.
    std::string read_line();

    /// Waits for its end.
    program_end end();

private:
    bool read_more();

    int pid_;
    loop::unique_fd input_;
    loop::unique_fd output_;
    loop::unique_fd errors_;
    std::string read_;
};

/// Runs it to its end, with nothing to read.
program_end run_program(const std::string& name, const std::vector<std::string>& arguments);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace loopbench::tests

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::tests {

struct program_end {
    int exit_code = -1;  // -1 if a signal ended the program
    std::string output;  // without the lines that read_line() has returned
    std::string errors;
};

/// A child process that is killed when this object is destroyed or when the test's process ends.
class running_program {
public:
    /// Starts the program. Without `input`, the program's standard input is a pipe into which type() writes.
    running_program(const std::string& name, const std::vector<std::string>& arguments,
                    loop::unique_fd input = {});
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;
    ~running_program();

    void type(std::string_view text);
    void end_input() { input_.reset(); }

    /// Limits the child's descriptors: from now on, the child cannot open a descriptor whose number is
    /// `limit` or higher (EMFILE).
    void limit_descriptors(unsigned limit) const;

    void stop() const;
    void go_on() const;

    /// Returns the next line without the newline, or an empty string at the end of the output.
    std::string read_line();

    program_end end();

private:
    bool read_more();

    int pid_;
    loop::unique_fd input_;
    loop::unique_fd output_;
    loop::unique_fd errors_;
    std::string read_;
};

program_end run_program(const std::string& name, const std::vector<std::string>& arguments);

std::vector<std::string> lines_of(const std::string& text);

}  // namespace loopbench::tests

// Tests tutorial 000's programs with a real standard input.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>

#include "loop/io/fd.hpp"
#include "on_every_design.hpp"

namespace loopbench::tests {

namespace {

using loop::checked;
using loop::unique_fd;

struct terminal {
    unique_fd keys;
    unique_fd screen;
};

terminal open_terminal() {
    terminal opened{.keys = unique_fd(checked(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt")),
                    .screen = {}};
    checked(::grantpt(opened.keys.get()), "grantpt");
    checked(::unlockpt(opened.keys.get()), "unlockpt");
    opened.screen.reset(
        checked(::open(::ptsname(opened.keys.get()), O_RDWR | O_NOCTTY | O_CLOEXEC), "open a terminal"));
    return opened;
}

unique_fd file_with_a_line() {
    unique_fd file(checked(::memfd_create("input", MFD_CLOEXEC), "memfd_create"));
    checked(static_cast<int>(::pwrite(file.get(), "\n", 1, 0)), "pwrite");
    return file;
}

class waiting_for_enter : public on_every_design {
protected:
    template <class Check>
    void for_each_spelling(Check check) const {
        for (const char* name :
             {"hello_and_enter", "hello_and_enter_awaitables", "hello_and_enter_by_hand"}) {
            SCOPED_TRACE(name);
            check(name);
        }
    }

    static void expect_to_wait(running_program& program, const std::function<void()>& press_enter) {
        EXPECT_EQ(program.read_line(), "hello");
        press_enter();
        const program_end end = program.end();
        EXPECT_EQ(end.output, "Will sleep now\nGood morning\n");
        EXPECT_EQ(end.exit_code, 0) << end.errors;
    }
};

}  // namespace

TEST_P(waiting_for_enter, the_program_continues_when_a_line_arrives_in_its_input_pipe) {
    for_each_spelling([&](const std::string& name) {
        running_program program(name, in_virtual_time());
        expect_to_wait(program, [&] { program.type("\n"); });
    });
}

TEST_P(waiting_for_enter, the_program_continues_when_a_line_is_typed_on_its_terminal) {
    for_each_spelling([&](const std::string& name) {
        auto [keys, screen] = open_terminal();
        running_program program(name, in_virtual_time(), std::move(screen));
        expect_to_wait(program,
                       [&] { checked(static_cast<int>(::write(keys.get(), "\n", 1)), "press Enter"); });
    });
}

TEST_P(waiting_for_enter, the_program_continues_when_its_input_pipe_is_closed) {
    for_each_spelling([&](const std::string& name) {
        running_program program(name, in_virtual_time());
        expect_to_wait(program, [&] { program.end_input(); });
    });
}

TEST_P(waiting_for_enter, the_program_reads_a_line_from_a_file_without_waiting) {
    for_each_spelling([&](const std::string& name) {
        running_program program(name, in_virtual_time(), file_with_a_line());
        const program_end end = program.end();
        EXPECT_EQ(end.output, "Will sleep now\nGood morning\nhello\n");
        EXPECT_EQ(end.exit_code, 0) << end.errors;
    });
}

TEST_P(waiting_for_enter, the_program_reports_that_its_input_cannot_be_read) {
    for_each_spelling([&](const std::string& name) {
        unique_fd folder(checked(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "open /"));
        running_program program(name, in_virtual_time(), std::move(folder));
        const program_end end = program.end();
        EXPECT_EQ(end.exit_code, 1);
        EXPECT_NE(end.errors.find("use a terminal or a pipe"), std::string::npos) << end.errors;
    });
}

INSTANTIATE_TEST_SUITE_P(examples, waiting_for_enter, testing::ValuesIn(design_names()), design_of);

}  // namespace loopbench::tests

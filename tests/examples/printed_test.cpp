// Tests that every program prints the same output as its tutorial, on every design.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "on_every_design.hpp"

namespace loopbench::tests {

namespace {

struct document_program {
    std::string name;
    std::vector<std::string> arguments;
    std::string printed;  // # stands for a number, which time_test.cpp checks
};

const std::vector<document_program>& document_programs() {
    static const std::vector<document_program> programs{
        {"hello_and_enter", {"--press-enter-after", "3"}, "Will sleep now\nhello\nGood morning\n"},
        {"hello_and_enter_awaitables", {"--press-enter-after", "3"}, "Will sleep now\nhello\nGood morning\n"},
        {"hello_and_enter_by_hand", {"--press-enter-after", "3"}, "Will sleep now\nhello\nGood morning\n"},
        {"round_robin_tasks", {}, "Task 1\nTask 2\nTask 1\nTask 2\nTask 2\ndone\n"},
        {"callback_steps",
         {},
         "Hello World!\n"
         "Hello World!\nGood bye.\n"
         "Received: b'abc'\n"
         "start\nstop\n"
         "begin\nend\n"
         "Result: 42\n"},
        {"task_queue",
         {},
         "Task 1\nTask 2\n"
         "Printing 0\nPrinting 5\nPrinting 1\nPrinting 4\nPrinting 2\nPrinting 3\n"
         "Printing 3\nPrinting 2\nPrinting 4\nPrinting 1\n"
         "Printing after delay\n"},
        {"sleep_serial_and_concurrent", {}, "t_serial=# ms\nt_concurrent=# ms\n"},
        {"busy_waiting",
         {},
         "hey ma, calling from Arouba\nhey ma, calling from Brandenburg\n# ms\nsleeps: #\n"},
        {"sleep_deep_dive",
         {},
         "at once: # ms\nhalf a second: # ms\nin between: # ms\nan hour: cancelled\nidle: # ms\n"},
        {"background_task",
         {},
         "background task!\nbackground task!\nbackground task!\nbackground task!\nbackground task!\n"
         "main!\n"
         "background task!\nbackground task!\nbackground task!\nbackground task!\nbackground task!\n"},
        {"producer_consumer",
         {},
         "my name is dean\n"
         "hello!\n"
         "sending value to coroutine/generator\nidx=0\n"
         "sending value to coroutine/generator\nidx=1\n"
         "sending value to coroutine/generator\nidx=2\n"
         "sending value to coroutine/generator\nमेरा नाम डीन है\n"
         "sending value to coroutine/generator\nidx=0\n"
         "sending value to coroutine/generator\nidx=1\n"
         "sending value to coroutine/generator\nidx=2\n"
         "sending value to coroutine/generator\nमेरा नाम डीन है\n"},
    };
    return programs;
}

using program_on_design = std::pair<document_program, std::string>;

std::vector<program_on_design> every_program_on_every_design() {
    std::vector<program_on_design> all;
    for (const document_program& program : document_programs()) {
        for (const std::string& design : design_names()) all.emplace_back(program, design);
    }
    return all;
}

std::string without_measurements(const std::string& text) {
    static const std::regex milliseconds("[0-9]+\\.[0-9]{2} ms");
    static const std::regex count("sleeps: [0-9]+");
    return std::regex_replace(std::regex_replace(text, milliseconds, "# ms"), count, "sleeps: #");
}

class the_program : public testing::TestWithParam<program_on_design> {};

}  // namespace

TEST_P(the_program, the_program_prints_the_output_that_its_tutorial_shows) {
    const auto& [program, design] = GetParam();
    if (is_refused(design)) GTEST_SKIP() << loop::io_uring_refusal();
    std::vector<std::string> arguments = program.arguments;
    arguments.insert(arguments.end(), {"--design", design, "--virtual-time"});
    const program_end end = run_program(program.name, arguments);
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_EQ(end.errors, "");
    EXPECT_EQ(without_measurements(end.output), program.printed);
}

INSTANTIATE_TEST_SUITE_P(examples, the_program, testing::ValuesIn(every_program_on_every_design()),
                         [](const auto& test) {
                             return test.param.first.name + "_on_" + word(test.param.second);
                         });

}  // namespace loopbench::tests

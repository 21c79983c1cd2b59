// Tests the options of an io_context that the environment variable LOOPBENCH_ASIO_OPTIONS contains.
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "asio_ref/option_text.hpp"

namespace loopbench::asio_ref {
namespace {

constexpr int boost_181 = 108100, boost_190 = 109000, boost_192 = 109200;

class asio_options : public testing::Test {
protected:
    ~asio_options() override { ::unsetenv(options_variable); }

    static std::string read(const char* text, int boost_version) {
        ::setenv(options_variable, text, 1);
        return options_in_environment(boost_version);
    }
    static std::string refusal_of(const char* text, int boost_version) {
        try {
            read(text, boost_version);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    }
};

TEST_F(asio_options, without_the_variable_there_are_no_options) {
    ::unsetenv(options_variable);
    EXPECT_EQ(options_in_environment(boost_181), "");
    EXPECT_EQ(read("", boost_181), "");
    EXPECT_EQ(lines_of_options(""), "");
}

TEST_F(asio_options, each_option_becomes_a_line) {
    const auto text = read("reactor.io_uring_ring_size=256,scheduler.task_usec=-1", boost_192);
    EXPECT_EQ(lines_of_options(text), "reactor.io_uring_ring_size=256\nscheduler.task_usec=-1\n");
}

TEST_F(asio_options, asio_ignores_unknown_names_so_they_are_refused) {
    EXPECT_NE(refusal_of("reactor.ring_size=256", boost_192).find("reactor.ring_size"), std::string::npos);
    EXPECT_NE(refusal_of("timer.heap_reserve=1,,", boost_192), "accepted");
}

TEST_F(asio_options, an_option_of_a_later_boost_is_refused_with_its_version) {
    EXPECT_NE(refusal_of("reactor.io_uring_ring_count=2", boost_190).find("1.92"), std::string::npos);
    EXPECT_EQ(refusal_of("reactor.io_uring_ring_count=2", boost_192), "accepted");
    EXPECT_NE(refusal_of("scheduler.locking=0", boost_181).find("1.87"), std::string::npos);
}

TEST_F(asio_options, a_value_is_a_number) {
    for (const char* text : {"scheduler.locking", "scheduler.locking=", "scheduler.locking=no",
                             "scheduler.locking=1 0", "scheduler.task_usec=-"})
        EXPECT_NE(refusal_of(text, boost_192), "accepted") << text;
}

}  // namespace
}  // namespace loopbench::asio_ref

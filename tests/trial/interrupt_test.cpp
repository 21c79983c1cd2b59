// Tests that SIGINT, SIGTERM and SIGHUP make the descriptor of an `interrupt` object readable.
#include "bench/harness/trial/process/interrupt.hpp"

#include <gtest/gtest.h>
#include <poll.h>

namespace loopbench::tests {

namespace {

bool readable(int fd) {
    pollfd watched{fd, POLLIN, 0};
    return ::poll(&watched, 1, 0) == 1;
}

TEST(interrupt, a_signal_makes_the_descriptor_permanently_readable) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ::signal(signal, SIG_DFL);  // the test's own parent might have ignored the signal
        const bench::interrupt stop;
        EXPECT_FALSE(stop.requested() || readable(stop.fd()));
        ::raise(signal);
        EXPECT_TRUE(stop.requested() && readable(stop.fd()));
        ::raise(signal);
        EXPECT_TRUE(stop.requested() && readable(stop.fd()));
    }
}

TEST(interrupt, a_signal_that_the_process_ignores_stays_ignored) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const auto before = ::signal(signal, SIG_IGN);
        {
            const bench::interrupt stop;
            ::raise(signal);
            EXPECT_FALSE(stop.requested() || readable(stop.fd()));
        }
        const bool is_ignored_again = ::signal(signal, before) == SIG_IGN;
        EXPECT_TRUE(is_ignored_again);
    }
}

TEST(interrupt, the_destructor_restores_the_previous_actions_of_the_signals) {
    ::signal(SIGINT, SIG_DFL);
    { const bench::interrupt stop; }
    EXPECT_EXIT(::raise(SIGINT), testing::KilledBySignal(SIGINT), "");
}

}  // namespace

}  // namespace loopbench::tests

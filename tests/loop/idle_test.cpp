// An idle flagship sleeps: one wait, one context switch, however much is pending, until the one timer at the
// end.
//
// LOOPBENCH_IDLE_MS says for how long it has nothing to do: a second, or what the build is configured with
// (cmake -D LOOPBENCH_IDLE_MS=10000). The counts do not depend on it: a longer time only makes a rare wake-up
// more likely to be seen.
#include <sys/resource.h>

#include <thread>

#include "tests/loop/counting_driver.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds idle{LOOPBENCH_IDLE_MS};

using flagships = testing::Types<runtime<counted<epoll_design>>, runtime<counted<uring_design>>>;

long voluntary_switches() {
    rusage usage{};
    checked(::getrusage(RUSAGE_THREAD, &usage), "getrusage");
    return usage.ru_nvcsw;
}

/// Sleeps, in a loop where everything else waits for something that does not come.
template <class R>
task<void> expect_silence(R& runtime) {
    co_await runtime.sleep_for(10ms);  // what was set up before has settled
    const std::size_t waits_before = runtime.driver().waits();
    const long switches_before = voluntary_switches();
    co_await runtime.sleep_for(idle);
    EXPECT_EQ(voluntary_switches() - switches_before, 1);
    EXPECT_EQ(runtime.driver().waits() - waits_before, 1u);
}

}  // namespace

template <class R>
class idle_flagship : public on_design<R> {
protected:
    /// In a thread of its own: a ring that a test before has closed is cleaned up some 10 ms later by the
    /// kernel, in the thread that used it.
    template <class Prepare>
    static void expect_silence_after(Prepare prepare) {
        std::jthread([&] {
            R runtime;
            prepare(runtime);
            runtime.run(expect_silence(runtime));
        }).join();
    }
};
TYPED_TEST_SUITE(idle_flagship, flagships, design_names);

TYPED_TEST(idle_flagship, with_a_far_timer_does_not_wake_up) {
    this->expect_silence_after([](TypeParam& runtime) {
        runtime.call_later(24h, [] { ADD_FAILURE() << "this test takes no day"; });
    });
}

TYPED_TEST(idle_flagship, with_a_thousand_sleepers_does_not_wake_up) {
    this->expect_silence_after([](TypeParam& runtime) {
        const auto sleeps = [](TypeParam& loop, nanoseconds length) -> task<void> {
            co_await loop.sleep_for(length);
        };
        for (int i = 0; i < 1000; ++i) runtime.spawn(sleeps(runtime, 1min + i * 997us));
    });
}

TYPED_TEST(idle_flagship, with_a_thousand_silent_sockets_does_not_wake_up) {
    constexpr rlim_t descriptors = 2'100;
    rlimit limit{};
    checked(::getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
    if (limit.rlim_cur < descriptors) {
        if (limit.rlim_max < descriptors)
            GTEST_SKIP() << "needs " << descriptors << " descriptors; the hard limit is " << limit.rlim_max;
        limit.rlim_cur = descriptors;
        checked(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
    }
    this->expect_silence_after([](TypeParam& runtime) {
        const auto reads = [](stream_pair<TypeParam> pair) -> task<void> { co_await read_text(pair.one); };
        for (int i = 0; i < 1000; ++i) runtime.spawn(reads(make_unix_pair(runtime)));
    });
}

}  // namespace loopbench::loop::test

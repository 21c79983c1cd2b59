// call_soon, call_at, call_later and their handles.
#include <memory>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {
using namespace std::chrono_literals;
}

template <class R>
class scheduled_calls : public on_design<R> {
protected:
    using handle = call_handle<event_loop<typename on_design<R>::design>>;
};
TYPED_TEST_SUITE(scheduled_calls, manual_designs, design_names);

TYPED_TEST(scheduled_calls, run_when_their_time_has_come) {
    TypeParam runtime;
    const time_point start = runtime.now();
    std::vector<std::string> order;
    runtime.call_later(300ms, [&] {
        order.push_back("300");
        EXPECT_GE(runtime.now(), start + 300ms);
    });
    runtime.call_at(start + 150ms, [&] { order.push_back("150"); });
    runtime.call_soon([&] { order.push_back("soon"); });
    runtime.run_until_idle();
    EXPECT_EQ(order, (std::vector<std::string>{"soon", "150", "300"}));
}

TYPED_TEST(scheduled_calls, never_run_when_they_were_cancelled_before) {
    TypeParam runtime;
    int calls = 0;
    auto soon = runtime.call_soon([&] { ++calls; });
    auto later = runtime.call_later(1ms, [&] { ++calls; });
    EXPECT_TRUE(soon.pending());
    EXPECT_TRUE(later.pending());
    soon.cancel();
    later.cancel();
    later.cancel();
    EXPECT_FALSE(soon.pending());
    EXPECT_FALSE(later.pending());
    EXPECT_TRUE(runtime.timers().empty());
    runtime.run_until_idle();
    EXPECT_EQ(calls, 0);
}

TYPED_TEST(scheduled_calls, never_run_when_they_were_cancelled_while_they_were_queued) {
    TypeParam runtime;
    int calls = 0;
    auto queued = runtime.call_later(1ms, [&] { ++calls; });
    manual_time::pass(1s);
    runtime.timers().expire(runtime.now(), runtime.ready());
    queued.cancel();
    runtime.run_until_idle();
    EXPECT_EQ(calls, 0);
}

TYPED_TEST(scheduled_calls, may_cancel_themselves_while_they_run) {
    TypeParam runtime;
    typename TestFixture::handle own;
    int calls = 0;
    own = runtime.call_soon([&calls, &own, kept = std::make_shared<int>(1)] {
        own.cancel();
        EXPECT_FALSE(own.pending());
        calls += *kept;  // its captures live until it has returned
    });
    runtime.run_until_idle();
    EXPECT_EQ(calls, 1);
}

TYPED_TEST(scheduled_calls, may_be_cancelled_after_they_have_run) {
    TypeParam runtime;
    int calls = 0;
    auto soon = runtime.call_soon([&] { ++calls; });
    auto later = runtime.call_later(1ms, [&] { ++calls; });
    runtime.run_until_idle();
    EXPECT_FALSE(soon.pending());
    EXPECT_FALSE(later.pending());
    soon.cancel();
    later.cancel();
    runtime.run_until_idle();
    EXPECT_EQ(calls, 2);
}

TYPED_TEST(scheduled_calls, run_although_their_handle_was_dropped) {
    TypeParam runtime;
    int calls = 0;
    static_cast<void>(runtime.call_soon([&] { ++calls; }));
    static_cast<void>(runtime.call_later(1ms, [&] { ++calls; }));
    runtime.run_until_idle();
    EXPECT_EQ(calls, 2);
}

TYPED_TEST(scheduled_calls, free_their_captures_as_soon_as_they_have_run_or_are_cancelled) {
    TypeParam runtime;
    int freed = 0;
    auto capture = [&] { return [owned = std::make_shared<freed_counter>(freed)] {}; };
    auto run = runtime.call_soon(capture());
    auto cancelled = runtime.call_later(1ms, capture());
    runtime.turn();
    EXPECT_EQ(freed, 1);
    cancelled.cancel();
    EXPECT_EQ(freed, 2);
    EXPECT_FALSE(run.pending());
}

TYPED_TEST(scheduled_calls, are_one_call_however_many_handles_name_them) {
    TypeParam runtime;
    int calls = 0;
    auto one = runtime.call_later(1ms, [&] { ++calls; });
    auto other = one;
    other.cancel();
    EXPECT_FALSE(one.pending());
    runtime.run_until_idle();
    EXPECT_EQ(calls, 0);
}

}  // namespace loopbench::loop::test

// Tests call_soon(), call_at(), call_later() and their handles.
#include <memory>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {
using namespace std::chrono_literals;
}

class scheduled_calls : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, scheduled_calls, all_designs(), design_name);

TEST_P(scheduled_calls, a_call_runs_when_its_deadline_is_reached) {
    event_loop& loop = keep(make_loop());
    const time_point start = loop.now();
    std::vector<std::string> order;
    loop.call_later(300ms, [&] {
        order.push_back("300");
        EXPECT_GE(loop.now(), start + 300ms);
    });
    loop.call_at(start + 150ms, [&] { order.push_back("150"); });
    loop.call_soon([&] { order.push_back("soon"); });
    loop.run_until_idle();
    EXPECT_EQ(order, (std::vector<std::string>{"soon", "150", "300"}));
}

TEST_P(scheduled_calls, a_cancelled_call_never_runs) {
    event_loop& loop = keep(make_loop());
    const time_point start = loop.now();
    int calls = 0;
    auto soon = loop.call_soon([&] { ++calls; });
    auto later = loop.call_later(1ms, [&] { ++calls; });
    EXPECT_TRUE(soon.pending());
    EXPECT_TRUE(later.pending());
    soon.cancel();
    later.cancel();
    later.cancel();
    EXPECT_FALSE(soon.pending());
    EXPECT_FALSE(later.pending());
    loop.run_until_idle();
    EXPECT_EQ(calls, 0);
    EXPECT_LT(loop.now() - start, 1ms) << "the loop must not wait for a cancelled call";
}

TEST_P(scheduled_calls, a_call_never_runs_if_it_is_cancelled_while_it_is_in_the_ready_queue) {
    event_loop& loop = keep(make_loop());
    int calls = 0;
    const time_point due = loop.now() + 1ms;
    call_handle queued;
    bool was_pending = false;
    // Both calls are due in the same turn. The call below runs first, because its deadline is earlier.
    loop.call_at(due - 1ns, [&] {
        was_pending = queued.pending();
        queued.cancel();
    });
    queued = loop.call_at(due, [&] { ++calls; });
    manual_time::pass(1s);
    loop.run_until_idle();
    EXPECT_TRUE(was_pending);
    EXPECT_EQ(calls, 0);
}

TEST_P(scheduled_calls, a_call_can_cancel_itself_while_it_runs) {
    event_loop& loop = keep(make_loop());
    call_handle own;
    int calls = 0;
    own = loop.call_soon([&calls, &own, kept = std::make_shared<int>(1)] {
        own.cancel();
        EXPECT_FALSE(own.pending());
        calls += *kept;
    });
    loop.run_until_idle();
    EXPECT_EQ(calls, 1);
}

TEST_P(scheduled_calls, a_call_that_has_already_run_can_still_be_cancelled) {
    event_loop& loop = keep(make_loop());
    int calls = 0;
    auto soon = loop.call_soon([&] { ++calls; });
    auto later = loop.call_later(1ms, [&] { ++calls; });
    loop.run_until_idle();
    EXPECT_FALSE(soon.pending());
    EXPECT_FALSE(later.pending());
    soon.cancel();
    later.cancel();
    loop.run_until_idle();
    EXPECT_EQ(calls, 2);
}

TEST_P(scheduled_calls, a_call_runs_even_if_its_handle_was_dropped) {
    event_loop& loop = keep(make_loop());
    int calls = 0;
    static_cast<void>(loop.call_soon([&] { ++calls; }));
    static_cast<void>(loop.call_later(1ms, [&] { ++calls; }));
    loop.run_until_idle();
    EXPECT_EQ(calls, 2);
}

TEST_P(scheduled_calls, a_call_frees_its_captures_as_soon_as_it_has_run_or_is_cancelled) {
    event_loop& loop = keep(make_loop());
    int freed = 0;
    auto capture = [&] { return [owned = std::make_shared<freed_counter>(freed)] {}; };
    auto run = loop.call_soon(capture());
    auto cancelled = loop.call_later(1ms, capture());
    loop.turn();
    EXPECT_EQ(freed, 1);
    cancelled.cancel();
    EXPECT_EQ(freed, 2);
    EXPECT_FALSE(run.pending());
}

TEST_P(scheduled_calls, all_copies_of_a_handle_refer_to_the_same_call) {
    event_loop& loop = keep(make_loop());
    int calls = 0;
    auto one = loop.call_later(1ms, [&] { ++calls; });
    auto other = one;
    other.cancel();
    EXPECT_FALSE(one.pending());
    loop.run_until_idle();
    EXPECT_EQ(calls, 0);
}

TEST_P(scheduled_calls, a_call_can_be_cancelled_through_a_handle_that_the_function_of_the_call_owns) {
    struct timeout {
        call_handle call;
        ~timeout() { call = {}; }
    };
    const auto owner = make_loop();
    event_loop& loop = *owner;
    const time_point start = loop.now();
    for (const bool is_queued : {false, true}) {
        auto waiting = std::make_shared<timeout>();
        timeout& only_known_to_the_call = *waiting;
        std::function<void()> function = [kept = std::move(waiting)] {
            ADD_FAILURE() << "the call was cancelled";
        };
        only_known_to_the_call.call =
            is_queued ? loop.call_soon(std::move(function)) : loop.call_later(1h, std::move(function));
        only_known_to_the_call.call.cancel();
    }
    loop.run_until_idle();
    EXPECT_LT(loop.now() - start, 1h) << "the loop must not wait for the timer of a cancelled call";
}

TEST_P(scheduled_calls, the_destructor_of_the_captures_of_a_call_can_cancel_the_call) {
    struct canceller {
        call_handle call;
        int& freed;
        ~canceller() {
            ++freed;
            call.cancel();
        }
    };
    const auto owner = make_loop();
    event_loop& loop = *owner;
    int freed = 0;
    for (const bool is_queued : {false, true}) {
        for (const bool is_cancelled : {false, true}) {
            auto captured = std::make_shared<canceller>(call_handle(), freed);
            canceller& in_the_call = *captured;
            std::function<void()> function = [kept = std::move(captured)] {};
            const call_handle call =
                is_queued ? loop.call_soon(std::move(function)) : loop.call_later(1ms, std::move(function));
            in_the_call.call = call;
            if (is_cancelled) call_handle(call).cancel();
        }
    }
    EXPECT_EQ(freed, 2);
    loop.run_until_idle();
    EXPECT_EQ(freed, 4);
}

}  // namespace loopbench::loop::test

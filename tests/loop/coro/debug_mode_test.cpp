// Tests the warnings of debug mode.
#include <memory>
#include <source_location>
#include <stdexcept>

#include "loop/coro/future.hpp"
#include "tests/loop/support.hpp"
#include "tests/support/says.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;
using tests::says;

std::string next_line(const std::source_location& where = std::source_location::current()) {
    return "debug_mode_test.cpp:" + std::to_string(where.line() + 1) + " in ";
}

}  // namespace

class slow_callbacks : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, slow_callbacks, all_designs(), design_name);

TEST_P(slow_callbacks, warnings_report_how_long_a_callback_took) {
    event_loop& loop = keep(make_loop());
    std::vector<nanoseconds> warnings;
    loop.warn_of_slow_callbacks(100ms,
                                [&](nanoseconds took, const std::string&) { warnings.push_back(took); });
    loop.post([] { manual_time::pass(99ms); });
    loop.post([] { manual_time::pass(100ms); });
    auto slow_step = [&]() -> task<void> {
        co_await loop.yield();
        manual_time::pass(250ms);
        co_await loop.yield();
    };
    loop.run(slow_step());
    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_GE(warnings[0], 100ms);
    EXPECT_LE(warnings[0], 101ms);
    EXPECT_GE(warnings[1], 250ms);
    EXPECT_LE(warnings[1], 251ms);
}

TEST_P(slow_callbacks, a_slow_callback_that_disables_the_warnings_causes_no_warning) {
    event_loop& loop = keep(make_loop());
    int warnings = 0;
    loop.warn_of_slow_callbacks(1ms, [&](nanoseconds, const std::string&) { ++warnings; });
    loop.post([&] {
        manual_time::pass(1s);
        loop.warn_of_slow_callbacks(0ns, nullptr);
    });
    loop.post([] { manual_time::pass(1s); });
    EXPECT_NO_THROW(loop.run(yield_times(loop, 2)));
    EXPECT_EQ(warnings, 0);
}

TEST_P(slow_callbacks, a_warning_function_can_disable_the_warnings) {
    event_loop& loop = keep(make_loop());
    int warnings = 0;
    int freed = 0;
    loop.warn_of_slow_callbacks(
        1ms, [&, owned = std::make_shared<freed_counter>(freed)](nanoseconds, const std::string&) {
            loop.warn_of_slow_callbacks(0ns, nullptr);
            EXPECT_EQ(freed, 0) << "the captures must live until the function has returned";
            ++warnings;
        });
    for (int i = 0; i < 2; ++i) loop.post([] { manual_time::pass(1s); });
    loop.run_until_idle();
    EXPECT_EQ(warnings, 1);
    EXPECT_EQ(freed, 1);
}

class slow_ones : public on_manual_time {
protected:
    static void warn(event_loop& loop, std::vector<std::string>& seen) {
        loop.warn_of_slow_callbacks(100ms, [&](nanoseconds, const std::string& who) { seen.push_back(who); });
    }
    static task<void> slow_step(event_loop& loop) {
        co_await loop.yield();
        manual_time::pass(1s);
        co_await loop.yield();
    }
};
INSTANTIATE_TEST_SUITE_P(, slow_ones, all_designs(), design_name);

TEST_P(slow_ones, a_warning_names_the_line_that_started_the_slow_task) {
    event_loop& loop = keep(make_loop());
    std::vector<std::string> seen;
    warn(loop, seen);
    const std::string spawned_at = next_line();
    loop.spawn(slow_step(loop));
    const std::string created_at = next_line();
    const auto created = create_task(loop, slow_step(loop));
    const std::string run_at = next_line();
    loop.run(slow_step(loop));
    loop.run_until_idle();
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_SAYS(seen[0], "task started at ");
    EXPECT_SAYS(seen[0], spawned_at);
    EXPECT_SAYS(seen[1], created_at);
    EXPECT_SAYS(seen[2], run_at);
    for (const std::string& who : seen) EXPECT_SAYS(who, ", coroutine 0x");
    EXPECT_TRUE(created.done());
}

// Every awaiter type must tell the loop which coroutine it resumes.
TEST_P(slow_ones, a_warning_names_the_slow_task_after_any_kind_of_wait) {
    event_loop& loop = keep(make_loop());
    std::vector<std::string> seen;
    warn(loop, seen);
    auto pair = make_unix_pair(loop);
    event happens(loop);
    promise<void> kept(loop);
    auto main = [&]() -> task<void> {
        manual_time::pass(1s);
        co_await loop.sleep_for(1ms);
        manual_time::pass(1s);
        put(pair.other.native_handle(), "x");
        loop.post([] {});
        co_await read_text(pair.one);
        co_await loop.yield();
        manual_time::pass(1s);
        loop.post([&] { happens.set(); });
        co_await happens.wait();
        manual_time::pass(1s);
        loop.post([&] { kept.set_value(); });
        co_await kept.get_future();
        manual_time::pass(1s);
        std::array children{yield_times(loop, 1)};
        co_await loop.gather(std::span(children), join_mode::collect);
        manual_time::pass(1s);
    };
    const std::string run_at = next_line();
    loop.run(main());
    EXPECT_GE(seen.size(), 6u);
    for (const std::string& who : seen) EXPECT_SAYS(who, run_at);
}

TEST_P(slow_ones, a_warning_names_the_type_of_the_slow_callback_and_the_line_that_scheduled_it) {
    event_loop& loop = keep(make_loop());
    std::vector<std::string> seen;
    warn(loop, seen);
    struct slow_function {
        void operator()() const { manual_time::pass(1s); }
    };
    loop.post(slow_function());
    loop.post_from_any_thread(slow_function());
    const std::string soon_at = next_line();
    loop.call_soon(slow_function());
    const std::string later_at = next_line();
    loop.call_later(1ms, slow_function());
    auto pair = make_unix_pair(loop);
    put(pair.other.native_handle(), "x");
    loop.add_reader(pair.one.native_handle(), [&] {
        manual_time::pass(1s);
        loop.remove_reader(pair.one.native_handle());
    });
    loop.run_until_idle();
    ASSERT_EQ(seen.size(), 5u);
    EXPECT_EQ(std::ranges::count_if(seen, [](const auto& who) { return says(who, "slow_function"); }), 4);
    EXPECT_EQ(std::ranges::count_if(seen, [&](const auto& who) { return says(who, soon_at); }), 1);
    EXPECT_EQ(std::ranges::count_if(seen, [&](const auto& who) { return says(who, later_at); }), 1);
    for (const std::string& who : seen) EXPECT_SAYS(who, "function ");
}

// The children's frames reuse the memory of the frames of earlier tasks. The warnings must not contain the
// names of these earlier tasks.
TEST_P(slow_ones, a_warning_about_a_slow_child_names_the_task_that_gathers_the_child) {
    event_loop& loop = keep(make_loop());
    std::vector<std::string> seen;
    warn(loop, seen);
    for (int i = 0; i < 20; ++i) loop.spawn(slow_step(loop));
    loop.run_until_idle();
    EXPECT_EQ(seen.size(), 20u);
    seen.clear();
    auto main = [&]() -> task<void> {
        std::vector<task<void>> children;
        for (int i = 0; i < 20; ++i) children.push_back(slow_step(loop));
        co_await loop.gather(std::span(children), join_mode::collect);
    };
    const std::string run_at = next_line();
    loop.run(main());
    EXPECT_EQ(seen.size(), 20u);
    for (const std::string& who : seen) EXPECT_SAYS(who, run_at);
}

class unretrieved_exceptions : public on_manual_time {
protected:
    static void warn(event_loop& loop, std::vector<std::string>& seen) {
        loop.warn_of_unretrieved_exceptions([&](const std::exception_ptr& exception, const std::string& who) {
            try {
                std::rethrow_exception(exception);
            } catch (const std::exception& error) {
                seen.push_back(error.what() + (" " + who));
            }
        });
    }
    static task<void> failing(event_loop& loop) {
        co_await loop.yield();
        throw std::runtime_error("unheard");
    }
};
INSTANTIATE_TEST_SUITE_P(, unretrieved_exceptions, all_designs(), design_name);

TEST_P(unretrieved_exceptions, a_warning_reports_an_exception_that_can_no_longer_be_retrieved) {
    event_loop& loop = keep(make_loop());
    std::vector<std::string> seen;
    warn(loop, seen);
    const std::string created_at = next_line();
    static_cast<void>(create_task(loop, failing(loop)));
    std::string promised_at;
    {
        promised_at = next_line();
        promise<int> broken(loop);
        const future<int> answer = broken.get_future();
        broken.set_exception(std::make_exception_ptr(std::runtime_error("broken")));
        EXPECT_TRUE(seen.empty()) << "the loop must not warn while the exception can still be retrieved";
    }
    loop.run_until_idle();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_SAYS(seen[0], "broken created at ");
    EXPECT_SAYS(seen[0], promised_at);
    EXPECT_SAYS(seen[1], "unheard created at ");
    EXPECT_SAYS(seen[1], created_at);
}

TEST_P(unretrieved_exceptions, retrieved_exceptions_and_cancellations_cause_no_warning) {
    event_loop& loop = keep(make_loop());
    std::vector<std::string> seen;
    warn(loop, seen);
    {
        const auto awaited = create_task(loop, failing(loop));
        const auto asked = create_task(loop, failing(loop));
        const auto called_back = create_task(loop, failing(loop));
        called_back.outcome().add_done_callback(
            [](const auto& done) { EXPECT_THROW(done.result(), std::runtime_error); });
        const auto cancelled = create_task(loop, failing(loop));
        cancelled.cancel();
        auto main = [&]() -> task<void> { co_await awaited; };
        EXPECT_THROW(loop.run(main()), std::runtime_error);
        loop.run_until_idle();
        EXPECT_THROW(asked.outcome().result(), std::runtime_error);
        const promise<void> dropped(loop);
    }
    EXPECT_TRUE(seen.empty()) << seen.front();
}

TEST_P(unretrieved_exceptions, an_unretrieved_exception_causes_no_warning_if_debug_mode_is_off) {
    event_loop& loop = keep(make_loop());
    std::vector<std::string> seen;
    warn(loop, seen);
    loop.warn_of_unretrieved_exceptions(nullptr);
    static_cast<void>(create_task(loop, failing(loop)));
    EXPECT_NO_THROW(loop.run_until_idle());
    EXPECT_TRUE(seen.empty());
}

}  // namespace loopbench::loop::test

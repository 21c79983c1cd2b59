// Debug mode: who was slow, and which exception nobody has asked for.
#include <memory>
#include <source_location>
#include <stdexcept>

#include "loop/future.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

/// What a warning has of the line after the call.
std::string next_line(const std::source_location& where = std::source_location::current()) {
    return "debug_mode_test.cpp:" + std::to_string(where.line() + 1) + " in ";
}

bool mentions(const std::string& who, const std::string& part) {
    return who.find(part) != std::string::npos;
}

}  // namespace

template <class R>
class slow_callbacks : public on_design<R> {};
TYPED_TEST_SUITE(slow_callbacks, manual_designs, design_names);

TYPED_TEST(slow_callbacks, are_warned_of_with_how_long_they_took) {
    TypeParam runtime;
    std::vector<nanoseconds> warnings;
    runtime.warn_of_slow_callbacks(100ms,
                                   [&](nanoseconds took, const std::string&) { warnings.push_back(took); });
    runtime.post([] { manual_time::pass(99ms); });
    runtime.post([] { manual_time::pass(100ms); });
    auto slow_step = [&]() -> task<void> {
        co_await runtime.yield();
        manual_time::pass(250ms);
        co_await runtime.yield();
    };
    runtime.run(slow_step());
    ASSERT_EQ(warnings.size(), 2u);
    EXPECT_GE(warnings[0], 100ms);
    EXPECT_LE(warnings[0], 101ms);
    EXPECT_GE(warnings[1], 250ms);
    EXPECT_LE(warnings[1], 251ms);
}

TYPED_TEST(slow_callbacks, are_not_warned_of_any_more_when_one_of_them_ends_the_warnings) {
    TypeParam runtime;
    int warnings = 0;
    runtime.warn_of_slow_callbacks(1ms, [&](nanoseconds, const std::string&) { ++warnings; });
    runtime.post([&] {
        manual_time::pass(1s);
        runtime.warn_of_slow_callbacks(0ns, nullptr);
    });
    runtime.post([] { manual_time::pass(1s); });
    EXPECT_NO_THROW(runtime.run(yield_times(runtime, 2)));
    EXPECT_EQ(warnings, 0);
}

TYPED_TEST(slow_callbacks, may_end_the_warnings_in_the_warning) {
    TypeParam runtime;
    int warnings = 0;
    int freed = 0;
    runtime.warn_of_slow_callbacks(
        1ms, [&, owned = std::make_shared<freed_counter>(freed)](nanoseconds, const std::string&) {
            runtime.warn_of_slow_callbacks(0ns, nullptr);
            EXPECT_EQ(freed, 0) << "its captures live until it has returned";
            ++warnings;
        });
    for (int i = 0; i < 2; ++i) runtime.post([] { manual_time::pass(1s); });
    runtime.run_until_idle();
    EXPECT_EQ(warnings, 1);
    EXPECT_EQ(freed, 1);
}

/// The warnings of slow callbacks, by who was warned of.
template <class R>
class slow_ones : public on_design<R> {
protected:
    static void warn(R& runtime, std::vector<std::string>& seen) {
        runtime.warn_of_slow_callbacks(100ms,
                                       [&](nanoseconds, const std::string& who) { seen.push_back(who); });
    }
    static task<void> slow_step(R& runtime) {
        co_await runtime.yield();
        manual_time::pass(1s);
        co_await runtime.yield();
    }
};
TYPED_TEST_SUITE(slow_ones, manual_designs, design_names);

TYPED_TEST(slow_ones, are_tasks_by_where_they_were_started) {
    TypeParam runtime;
    std::vector<std::string> seen;
    this->warn(runtime, seen);
    const std::string spawned_at = next_line();
    runtime.spawn(this->slow_step(runtime));
    const std::string created_at = next_line();
    const auto created = create_task(runtime, this->slow_step(runtime));
    const std::string run_at = next_line();
    runtime.run(this->slow_step(runtime));
    runtime.run_until_idle();
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_PRED2(mentions, seen[0], "task started at ");
    EXPECT_PRED2(mentions, seen[0], spawned_at);
    EXPECT_PRED2(mentions, seen[1], created_at);
    EXPECT_PRED2(mentions, seen[2], run_at);
    for (const std::string& who : seen) EXPECT_PRED2(mentions, who, ", coroutine 0x");
    EXPECT_TRUE(created.done());
}

// However they wait: each awaiter tells of its own coroutine.
TYPED_TEST(slow_ones, are_tasks_whatever_they_have_waited_for) {
    TypeParam runtime;
    std::vector<std::string> seen;
    this->warn(runtime, seen);
    auto pair = make_unix_pair(runtime);
    event happens(runtime);
    promise<void> kept(runtime);
    auto main = [&]() -> task<void> {
        manual_time::pass(1s);  // before anything
        co_await runtime.sleep_for(1ms);
        manual_time::pass(1s);
        put(pair.other.native_handle(), "x");
        runtime.post([] {});
        co_await read_text(pair.one);
        co_await runtime.yield();
        manual_time::pass(1s);
        runtime.post([&] { happens.set(); });
        co_await happens.wait();
        manual_time::pass(1s);
        runtime.post([&] { kept.set_value(); });
        co_await kept.get_future();
        manual_time::pass(1s);
        std::array children{yield_times(runtime, 1)};
        co_await runtime.gather(std::span(children), join_mode::collect);
        manual_time::pass(1s);
    };
    const std::string run_at = next_line();
    runtime.run(main());
    EXPECT_GE(seen.size(), 6u);
    for (const std::string& who : seen) EXPECT_PRED2(mentions, who, run_at);
}

TYPED_TEST(slow_ones, are_functions_by_their_type_and_where_they_were_scheduled) {
    TypeParam runtime;
    std::vector<std::string> seen;
    this->warn(runtime, seen);
    struct slow_function {
        void operator()() const { manual_time::pass(1s); }
    };
    runtime.post(slow_function());
    const std::string soon_at = next_line();
    runtime.call_soon(slow_function());
    const std::string later_at = next_line();
    runtime.call_later(1ms, slow_function());
    auto pair = make_unix_pair(runtime);
    put(pair.other.native_handle(), "x");
    runtime.add_reader(pair.one.native_handle(), [&] {
        manual_time::pass(1s);
        runtime.remove_reader(pair.one.native_handle());
    });
    runtime.run_until_idle();
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(std::ranges::count_if(seen, [](const auto& who) { return mentions(who, "slow_function"); }), 3);
    EXPECT_EQ(std::ranges::count_if(seen, [&](const auto& who) { return mentions(who, soon_at); }), 1);
    EXPECT_EQ(std::ranges::count_if(seen, [&](const auto& who) { return mentions(who, later_at); }), 1);
    for (const std::string& who : seen) EXPECT_PRED2(mentions, who, "function ");
}

// A frame is given out again; its next tenant must not be taken for the last.
TYPED_TEST(slow_ones, have_no_place_when_they_are_children_of_a_gather) {
    TypeParam runtime;
    std::vector<std::string> seen;
    this->warn(runtime, seen);
    for (int i = 0; i < 20; ++i) runtime.spawn(this->slow_step(runtime));
    runtime.run_until_idle();
    EXPECT_EQ(seen.size(), 20u);
    seen.clear();
    auto main = [&]() -> task<void> {
        std::vector<task<void>> children;
        for (int i = 0; i < 20; ++i) children.push_back(this->slow_step(runtime));
        co_await runtime.gather(std::span(children), join_mode::collect);
    };
    runtime.run(main());
    EXPECT_EQ(seen.size(), 20u);
    for (const std::string& who : seen) EXPECT_EQ(who.rfind("task, coroutine 0x", 0), 0u) << who;
}

template <class R>
class unretrieved_exceptions : public on_design<R> {
protected:
    static void warn(R& runtime, std::vector<std::string>& seen) {
        runtime.warn_of_unretrieved_exceptions(
            [&](const std::exception_ptr& exception, const std::string& who) {
                try {
                    std::rethrow_exception(exception);
                } catch (const std::exception& error) {
                    seen.push_back(error.what() + (" " + who));
                }
            });
    }
    static task<void> failing(R& runtime) {
        co_await runtime.yield();
        throw std::runtime_error("unheard");
    }
};
TYPED_TEST_SUITE(unretrieved_exceptions, manual_designs, design_names);

TYPED_TEST(unretrieved_exceptions, are_warned_of_when_the_last_who_could_ask_is_gone) {
    TypeParam runtime;
    std::vector<std::string> seen;
    this->warn(runtime, seen);
    const std::string created_at = next_line();
    static_cast<void>(create_task(runtime, this->failing(runtime)));
    std::string promised_at;
    {
        promised_at = next_line();
        promise<int> broken(runtime);
        const future<int> answer = broken.get_future();
        broken.set_exception(std::make_exception_ptr(std::runtime_error("broken")));
        EXPECT_TRUE(seen.empty()) << "somebody may still ask";
    }
    runtime.run_until_idle();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_PRED2(mentions, seen[0], "broken made at ");
    EXPECT_PRED2(mentions, seen[0], promised_at);
    EXPECT_PRED2(mentions, seen[1], "unheard made at ");
    EXPECT_PRED2(mentions, seen[1], created_at);
}

TYPED_TEST(unretrieved_exceptions, are_not_those_that_were_asked_for_or_are_cancellations) {
    TypeParam runtime;
    std::vector<std::string> seen;
    this->warn(runtime, seen);
    {
        const auto awaited = create_task(runtime, this->failing(runtime));
        const auto asked = create_task(runtime, this->failing(runtime));
        const auto called_back = create_task(runtime, this->failing(runtime));
        called_back.outcome().add_done_callback(
            [](const auto& done) { EXPECT_THROW(done.result(), std::runtime_error); });
        const auto cancelled = create_task(runtime, this->failing(runtime));
        cancelled.cancel();
        auto main = [&]() -> task<void> { co_await awaited; };
        EXPECT_THROW(runtime.run(main()), std::runtime_error);
        runtime.run_until_idle();
        EXPECT_THROW(asked.outcome().result(), std::runtime_error);
        const promise<void> dropped(runtime);
    }
    EXPECT_TRUE(seen.empty()) << seen.front();
}

TYPED_TEST(unretrieved_exceptions, are_nobodys_business_without_debug_mode) {
    TypeParam runtime;
    std::vector<std::string> seen;
    this->warn(runtime, seen);
    runtime.warn_of_unretrieved_exceptions(nullptr);
    static_cast<void>(create_task(runtime, this->failing(runtime)));
    EXPECT_NO_THROW(runtime.run_until_idle());
    EXPECT_TRUE(seen.empty());
}

}  // namespace loopbench::loop::test

// Tests which handlers a context runs, and when run() returns.
#include <algorithm>
#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <concepts>
#include <memory>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/asio_compat/kits.hpp"
#if __has_include(<boost/asio/config.hpp>)
#include <boost/asio/config.hpp>
#endif

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

template <class kit>
using asio_context = with_context<kit>;
TYPED_TEST_SUITE(asio_context, kits, kit_names);

TYPED_TEST(asio_context, run_calls_posted_handlers_in_the_order_of_posting_and_returns_their_number) {
    auto& context = this->context();
    std::string ran;
    for (const char each : {'a', 'b', 'c'}) net::post(context, [&ran, each] { ran += each; });
    EXPECT_EQ(context.run(), 3U);
    EXPECT_EQ(ran, "abc");
    EXPECT_TRUE(context.stopped()) << "a context without work must be stopped";
    net::post(context, [&] { ran += 'd'; });
    EXPECT_EQ(context.run(), 0U);
    context.restart();
    EXPECT_EQ(context.run(), 1U);
}

TYPED_TEST(asio_context, dispatch_calls_a_function_immediately_only_inside_a_handler_of_the_context) {
    auto& context = this->context();
    std::string ran;
    net::dispatch(context, [&] {
        ran += '1';
        net::post(context, [&] { ran += '3'; });
        net::dispatch(context, [&] { ran += '2'; });
    });
    EXPECT_EQ(ran, "");
    context.run();
    EXPECT_EQ(ran, "123");
    EXPECT_FALSE(context.get_executor().running_in_this_thread());
}

TYPED_TEST(asio_context, argument_dependent_lookup_finds_the_functions_of_asio) {
    auto& context = this->context();
    std::string ran;
    post(context, [&] { ran += 'a'; });
    post(context.get_executor(), [&] { ran += 'b'; });
    dispatch(context.get_executor(), [&] { ran += 'c'; });
    defer(context.get_executor(), [&] { ran += 'd'; });
    const auto strand = make_strand(context.get_executor());
    post(strand, [&] { ran += 'e'; });
    context.run();
    EXPECT_EQ(ran, "abcde");
}

TYPED_TEST(asio_context, each_call_of_run_one_or_poll_one_runs_at_most_one_handler) {
    auto& context = this->context();
    int ran = 0;
    EXPECT_EQ(context.poll_one(), 0U);
    context.restart();
    for (int i = 0; i < 3; ++i) net::post(context, [&] { ++ran; });
    EXPECT_EQ(context.run_one(), 1U);
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(context.poll_one(), 1U);
    EXPECT_EQ(context.poll(), 1U);
    EXPECT_EQ(ran, 3);
}

// After stop(), an internal operation of the loop is still in the queue before the posted handler; poll()
// must run the handler nevertheless.
TYPED_TEST(asio_context, poll_runs_a_handler_that_was_posted_after_a_stop_and_a_restart) {
    auto& context = this->context();
    context.stop();
    context.restart();
    net::post(context, [] {});
    EXPECT_EQ(context.poll(), 1U);
    context.stop();
    context.restart();
    net::post(context, [] {});
    EXPECT_EQ(context.poll_one(), 1U);
}

#if __has_include(<boost/asio/execution/inline_exception_handling.hpp>)  // since Boost 1.90
TYPED_TEST(asio_context, the_executor_says_that_it_captures_exceptions) {
    const auto handling = net::execution::inline_exception_handling;
    EXPECT_TRUE(net::query(this->context().get_executor(), handling) == handling.capture);
}
#endif

#if __has_include(<boost/asio/config.hpp>)  // since Boost 1.87
TYPED_TEST(asio_context, a_context_installs_the_services_of_its_argument) {
    const net::config_from_string options("scheduler.concurrency_hint=7");
    typename TestFixture::context_type context(options);
    EXPECT_EQ(net::config(context).get("scheduler", "concurrency_hint", 0), 7);
    net::post(context, [] {});
    EXPECT_EQ(context.run(), 1U);
}
#endif

TYPED_TEST(asio_context, a_context_allocates_services_with_the_allocator_of_its_argument) {
    using context = typename TestFixture::context_type;
    using allocator = std::pmr::polymorphic_allocator<char>;
    if constexpr (std::constructible_from<net::io_context, std::allocator_arg_t, allocator>) {
        std::array<char, 1 << 16> memory;
        std::pmr::monotonic_buffer_resource resource(memory.data(), memory.size());
        const context made(std::allocator_arg, allocator(&resource));
        EXPECT_NE(static_cast<const void*>(resource.allocate(1)), static_cast<const void*>(memory.data()));
        context hinted(std::allocator_arg, allocator(&resource), 1);
        net::post(hinted, [] {});
        EXPECT_EQ(hinted.run(), 1U);
    } else {
        EXPECT_FALSE((std::constructible_from<context, std::allocator_arg_t, allocator>));
    }
}

template <class Context>
class program_service final : public Context::service {
public:
    static inline net::execution_context::id id;

    explicit program_service(Context& owner) : Context::service(owner) {}

    bool* is_shut_down = nullptr;

private:
    void shutdown() override {
        if (is_shut_down != nullptr) *is_shut_down = true;
    }
};

TYPED_TEST(asio_context, a_service_of_the_program_is_created_once_and_is_shut_down_with_its_context) {
    using service = program_service<typename TestFixture::context_type>;
    auto& context = this->context();
    bool is_shut_down = false;
    EXPECT_FALSE(net::has_service<service>(context));
    auto& used = net::use_service<service>(context);
    used.is_shut_down = &is_shut_down;
    EXPECT_TRUE(net::has_service<service>(context));
    EXPECT_EQ(&net::use_service<service>(context), &used);
    EXPECT_EQ(&used.get_io_context(), &context);
    this->destroy_context();
    EXPECT_TRUE(is_shut_down);
}

// Recent versions of Boost deprecate add_service().
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TYPED_TEST(asio_context, use_service_returns_the_service_that_the_program_has_added) {
    using service = program_service<typename TestFixture::context_type>;
    auto& context = this->context();
    auto made = std::make_unique<service>(context);
    net::add_service(context, made.get());
    const service* const added = made.release();
    EXPECT_EQ(&net::use_service<service>(context), added);
    const auto second = std::make_unique<service>(context);
    EXPECT_THROW(net::add_service(context, second.get()), net::service_already_exists);
    typename TestFixture::context_type other;
    EXPECT_THROW(net::add_service(other, second.get()), net::invalid_service_owner);
    EXPECT_FALSE(net::has_service<service>(other));
}
#pragma GCC diagnostic pop

/// False for Asio's own context since Boost 1.87: it still has wrap(), but calling the result does not
/// compile, because the context has no dispatch() any more.
template <class Context>
constexpr bool can_call_wrapped = requires(Context& context, void (*function)()) {
    context.dispatch(function);
};

// Recent versions of Boost deprecate wrap().
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TYPED_TEST(asio_context, calling_a_wrapped_handler_dispatches_the_handler_with_the_arguments_of_the_call) {
    auto& context = this->context();
    typename TestFixture::context_type::strand strand(context);
    std::string ran;
    auto wrapped = strand.wrap([&](const std::string& text, char last) {
        EXPECT_TRUE(strand.running_in_this_thread());
        ran += text + last;
    });
    wrapped(std::string("one"), ',');
    wrapped(std::string("two"), ';');
    EXPECT_EQ(ran, "");
    context.run();
    EXPECT_EQ(ran, "one,two;");
    if constexpr (can_call_wrapped<typename TestFixture::context_type>) {
        context.wrap([&] { ran += "three"; })();
        EXPECT_EQ(ran, "one,two;");
        context.restart();
        context.run();
        EXPECT_EQ(ran, "one,two;three");
    }
}
#pragma GCC diagnostic pop

TYPED_TEST(asio_context, stop_makes_run_return_after_the_current_handler_and_restart_lets_run_continue) {
    auto& context = this->context();
    int ran = 0;
    for (int i = 0; i < 3; ++i)
        net::post(context, [&] {
            ++ran;
            context.stop();
        });
    EXPECT_EQ(context.run(), 1U);
    EXPECT_EQ(context.run(), 0U) << "a stopped context must run no handler before restart()";
    context.restart();
    EXPECT_EQ(context.run(), 1U);
    EXPECT_EQ(ran, 2);
}

TYPED_TEST(asio_context,
           run_throws_the_exception_of_a_handler_and_the_next_run_calls_the_remaining_handlers) {
    auto& context = this->context();
    int ran = 0;
    net::post(context, [] { throw std::runtime_error("out"); });
    net::post(context, [&] { ++ran; });
    EXPECT_THROW(context.run(), std::runtime_error);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(context.run(), 1U);
    EXPECT_EQ(ran, 1);
}

struct throws {
    template <class... Results>
    void operator()(const Results&...) const {
        throw std::runtime_error("out");
    }
};

TYPED_TEST(asio_context, run_throws_the_exception_of_each_kind_of_handler_and_can_be_called_again) {
    auto& context = this->context();
    typename TestFixture::timer_type timer(context, 0ms);
    auto [one, other] = this->connection();
    std::array<char, 1> byte{};
    int ran = 0;
    timer.async_wait(throws());
    one.async_read_some(net::buffer(byte), throws());
    other.send(net::buffer("x", 1));
    net::post(context, [&] {
        net::dispatch(context, throws());
        ++ran;
    });
    net::co_spawn(
        context,
        []() -> net::awaitable<void, typename TestFixture::executor> {
            throw std::runtime_error("out");
            co_return;
        },
        [](std::exception_ptr failure) { std::rethrow_exception(failure); });
    for (int i = 0; i < 4; ++i) EXPECT_THROW(context.run_for(1min), std::runtime_error) << i;
    context.restart();
    net::post(context, [&] { ran += 2; });
    EXPECT_EQ(context.run(), 1U);
    EXPECT_GE(ran, 2);
}

TYPED_TEST(asio_context, run_also_calls_a_function_that_the_destructor_of_the_last_handler_posts) {
    auto& context = this->context();
    int ran = 0;
    const auto post_last = [&](int*) { net::post(context, [&] { ++ran; }); };
    net::post(context, [owned = std::unique_ptr<int, decltype(post_last)>(&ran, post_last)] {});
    EXPECT_EQ(context.run(), 2U);
    EXPECT_EQ(ran, 1);
}

TYPED_TEST(asio_context, operations_that_are_pending_at_a_stop_complete_after_the_restart) {
    auto& context = this->context();
    typename TestFixture::timer_type timer(context, 1h);
    auto [one, other] = this->connection();
    std::string ended;
    std::array<char, 1> byte{};
    timer.async_wait([&](error_code error) { ended += error ? 'c' : '?'; });
    one.async_read_some(net::buffer(byte),
                        [&](error_code error, std::size_t) { ended += error ? '?' : 'r'; });
    for (int i = 0; i < 3; ++i) {
        net::post(context, [&] { context.stop(); });
        net::post(context, [&] { ended += 'p'; });
        EXPECT_EQ(context.run(), 1U);
        EXPECT_EQ(context.poll(), 0U) << "a stopped context must run no handler before restart()";
        context.restart();
        EXPECT_EQ(context.poll_one(), 1U);
    }
    other.send(net::buffer("x", 1));
    timer.cancel();
    context.run();
    std::ranges::sort(ended);
    EXPECT_EQ(ended, "cpppr");
}

TYPED_TEST(asio_context, timers_and_sockets_are_served_although_the_handler_queue_is_never_empty) {
    auto& context = this->context();
    typename TestFixture::timer_type timer(context, 1ms);
    auto [one, other] = this->connection();
    std::array<char, 1> byte{};
    int missing = 2;
    timer.async_wait([&](error_code) { --missing; });
    one.async_read_some(net::buffer(byte), [&](error_code, std::size_t) { --missing; });
    other.send(net::buffer("x", 1));
    std::function<void()> again = [&] {
        if (missing > 0) net::post(context, again);
    };
    net::post(context, again);
    context.run_for(1min);
    EXPECT_EQ(missing, 0);
    EXPECT_TRUE(context.stopped()) << "a context without work must be stopped before the minute is over";
}

TYPED_TEST(asio_context, run_for_returns_at_its_time_limit_although_the_handler_queue_is_never_empty) {
    auto& context = this->context();
    std::size_t ran = 0;
    std::function<void()> again = [&] {
        ++ran;
        net::post(context, again);
    };
    net::post(context, again);
    EXPECT_EQ(context.run_for(10ms), ran);
    EXPECT_GT(ran, 0U);
}

TYPED_TEST(asio_context, handlers_of_a_nested_run_count_only_for_the_nested_run) {
    auto& context = this->context();
    std::size_t inner = 0;
    const auto nest = [&](auto run) {
        net::post(context, [&, run] {
            for (int i = 0; i < 3; ++i) net::post(context, [] {});
            inner = run();
        });
        context.restart();
    };
    nest([&] { return context.poll(); });
    EXPECT_EQ(context.run(), 1U);
    EXPECT_EQ(inner, 3U);
    nest([&] { return context.run_one(); });
    EXPECT_EQ(context.run(), 3U);
    EXPECT_EQ(inner, 1U);
    nest([&] { return context.run_for(10ms); });
    EXPECT_EQ(context.run_one(), 1U);
    EXPECT_EQ(inner, 3U);
}

TYPED_TEST(asio_context, run_for_waits_for_whole_milliseconds) {
    auto& context = this->context();
    const auto guard = net::make_work_guard(context);
    int counted = 0;
    for (int i = 0; i < 10; ++i) {  // the timer expires 0.05 ms after the time limit
        typename TestFixture::timer_type timer(context, 2950us);
        timer.async_wait([](error_code) {});
        counted += context.run_for(2900us) == 1 ? 1 : 0;
        timer.cancel();
        context.poll();
    }
    EXPECT_GT(counted, 5);
}

TYPED_TEST(asio_context, a_handler_that_throws_when_it_is_moved_is_destroyed) {
    struct throwing {
        explicit throwing(std::shared_ptr<bool> when) : throws(std::move(when)) {}
        throwing(throwing&& other) : throws(other.throws) {
            if (*throws) throw std::runtime_error("moved");
        }
        void operator()(error_code = {}) const {}
        std::shared_ptr<bool> throws;
    };
    auto& context = this->context();
    const auto throws = std::make_shared<bool>(false);
    typename TestFixture::timer_type timer(context, 0ms);
    timer.async_wait(throwing(throws));
    *throws = true;
    EXPECT_THROW(context.run(), std::runtime_error);
    EXPECT_EQ(throws.use_count(), 1);
    *throws = false;
    net::post(context, throwing(throws));
    *throws = true;
    context.restart();
    EXPECT_THROW(context.run(), std::runtime_error);
    EXPECT_EQ(throws.use_count(), 1);
}

TYPED_TEST(asio_context, timers_fire_in_the_order_of_their_deadlines_and_can_be_cancelled) {
    using waits = typename TestFixture::timer_type;
    auto& context = this->context();
    const auto now = std::chrono::steady_clock::now();
    waits late(context, now + 4ms), early(context, now + 1ms), never(context, 1h), moved(context, 1h);
    std::string fired;
    late.async_wait([&](error_code) {
        fired += 'l';
        EXPECT_EQ(never.cancel(), 1U);
    });
    early.async_wait([&](error_code) { fired += 'e'; });
    never.async_wait([&](error_code error) { fired += error == net::error::operation_aborted ? 'x' : '?'; });
    moved.async_wait([&](error_code error) { fired += error == net::error::operation_aborted ? 'm' : '?'; });
    EXPECT_EQ(moved.expires_after(2ms), 1U) << "a new expiry time must cancel the pending wait";
    EXPECT_EQ(context.run(), 4U);
    EXPECT_EQ(std::erase(fired, 'm'), 1U) << "the cancelled wait must complete once, in any order";
    EXPECT_EQ(fired, "elx");
}

TYPED_TEST(asio_context, queued_handlers_run_before_timers_that_are_due) {
    auto& context = this->context();
    std::string ran;
    typename TestFixture::timer_type timer(context, std::chrono::steady_clock::time_point());
    timer.async_wait([&](error_code) { ran += "timer"; });
    net::post(context, [&] { ran += "post,"; });
    context.run();
    EXPECT_EQ(ran, "post,timer");
}

TYPED_TEST(asio_context, a_cancellation_signal_cancels_a_timer_wait) {
    auto& context = this->context();
    typename TestFixture::timer_type timer(context, 1h);
    net::cancellation_signal stop;
    error_code found;
    timer.async_wait(net::bind_cancellation_slot(stop.slot(), [&](error_code error) { found = error; }));
    net::post(context, [&] { stop.emit(net::cancellation_type::all); });
    context.run();
    EXPECT_EQ(found, net::error::operation_aborted);
}

template <class kit>
using asio_on_our_loop = with_context<kit>;
TYPED_TEST_SUITE(asio_on_our_loop, our_kits, kit_names);

class old_executor {
public:
    explicit old_executor(asio::io_context& of) noexcept : inner_(of.get_executor()) {}
    asio::io_context& context() const noexcept { return inner_.context(); }
    void on_work_started() const noexcept { inner_.on_work_started(); }
    void on_work_finished() const noexcept { inner_.on_work_finished(); }
    template <class Function, class Allocator>
    void dispatch(Function&& function, const Allocator& allocator) const {
        inner_.dispatch(std::forward<Function>(function), allocator);
    }
    template <class Function, class Allocator>
    void post(Function&& function, const Allocator& allocator) const {
        inner_.post(std::forward<Function>(function), allocator);
    }
    template <class Function, class Allocator>
    void defer(Function&& function, const Allocator& allocator) const {
        inner_.defer(std::forward<Function>(function), allocator);
    }
    [[maybe_unused]] friend bool operator==(const old_executor& a, const old_executor& b) noexcept {
        return a.inner_ == b.inner_;
    }

private:
    asio::io_context::executor_type inner_;
};

TYPED_TEST(asio_on_our_loop, a_timer_with_an_executor_of_the_networking_ts_fires) {
    auto& context = this->context();
    using clock = std::chrono::steady_clock;
    net::basic_waitable_timer<clock, net::wait_traits<clock>, old_executor> timer(old_executor(context), 1ms);
    bool has_fired = false;
    timer.async_wait([&](error_code error) { has_fired = !error; });
    context.run();
    EXPECT_TRUE(has_fired);
    EXPECT_FALSE(context.uses_stock_scheduler());
}

TYPED_TEST(asio_on_our_loop, run_throws_if_a_timer_of_the_context_uses_the_scheduler_of_asio) {
    auto& context = this->context();
    EXPECT_FALSE(context.uses_stock_scheduler());
    net::steady_timer other(context);  // uses any_io_executor, and thus Asio's own service
    EXPECT_TRUE(context.uses_stock_scheduler());
    net::post(context, [] {});
    try {
        context.run();
        ADD_FAILURE() << "the context must refuse to run";
    } catch (const std::logic_error& refused) {
        EXPECT_NE(std::string(refused.what()).find("dropin.hpp"), std::string::npos)
            << "the error must name the remedy";
    }
}

TEST(asio_design, the_environment_variable_loopbench_asio_chooses_the_design) {
    ASSERT_EQ(::setenv("LOOPBENCH_ASIO", "epoll", 1), 0);
    EXPECT_EQ(asio::io_context().design_name(), "loop-epoll");
    ASSERT_EQ(::setenv("LOOPBENCH_ASIO", "kqueue", 1), 0);
    EXPECT_THROW(asio::io_context(), std::invalid_argument);
    ASSERT_EQ(::unsetenv("LOOPBENCH_ASIO"), 0);
    EXPECT_EQ(asio::io_context().design_name(), "loop-epoll");
}

}  // namespace

}  // namespace loopbench::tests

// Tests the resolver.
#include "loop/net/resolver.hpp"

#include <netdb.h>

#include <algorithm>
#include <stdexcept>

#include "tests/loop/allocations.hpp"
#include "tests/loop/support.hpp"
#include "tests/support/says.hpp"

namespace loopbench::loop::test {

namespace {

std::vector<endpoint> resolve(event_loop& loop, std::string host, std::string service) {
    resolver names(loop);
    return loop.run(names.resolve(std::move(host), std::move(service)));
}

bool is_known_here(const char* host) {
    addrinfo* found = nullptr;
    if (::getaddrinfo(host, nullptr, nullptr, &found) != 0) return false;
    ::freeaddrinfo(found);
    return true;
}

}  // namespace

class resolving : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, resolving, all_designs(), design_name);

TEST_P(resolving, a_numeric_address_resolves_to_the_same_address) {
    event_loop& loop = keep(make_loop());
    const auto v4 = resolve(loop, "127.0.0.1", "80");
    ASSERT_FALSE(v4.empty());
    EXPECT_EQ(v4.front().to_string(), "127.0.0.1:80");
    const auto v6 = resolve(loop, "::1", "8080");
    ASSERT_FALSE(v6.empty());
    EXPECT_EQ(v6.front().to_string(), "[::1]:8080");
}

TEST_P(resolving, localhost_resolves_to_a_loopback_address) {
    if (!is_known_here("localhost")) GTEST_SKIP() << "/etc/hosts has no line for localhost";
    event_loop& loop = keep(make_loop());
    const auto found = resolve(loop, "localhost", "80");
    const auto is_loopback = [](const endpoint& each) {
        return each.to_string() == "127.0.0.1:80" || each.to_string() == "[::1]:80";
    };
    EXPECT_TRUE(std::ranges::any_of(found, is_loopback));
}

TEST_P(resolving, run_until_idle_waits_for_a_pending_resolution) {
    event_loop& loop = keep(make_loop());
    resolver names(loop);
    bool is_found = false;
    loop.spawn([](resolver& of, bool& found) -> task<void> {
        co_await of.resolve("127.0.0.1", "80");
        found = true;
    }(names, is_found));
    loop.run_until_idle();
    EXPECT_TRUE(is_found);
}

TEST_P(resolving, a_resolution_does_not_delay_the_turn_in_which_the_resolution_starts) {
    event_loop& loop = keep(make_loop());
    resolver names(loop);
    auto asks = [&]() -> task<void> { co_await names.resolve("127.0.0.1", "80"); };
    const auto asking = create_task(loop, asks());
    loop.turn();
    EXPECT_FALSE(asking.done()) << "the answer must arrive on a later turn, because another thread sends it";
    loop.run(until_done({asking}));
    EXPECT_EQ(ending_of(asking.outcome()), "value");
}

// getaddrinfo(3) refuses the unknown service name without asking a name server.
TEST_P(resolving, the_error_of_a_failed_resolution_names_the_host_and_the_service) {
    event_loop& loop = keep(make_loop());
    const auto refusal =
        tests::complaint_of<std::runtime_error>([&] { resolve(loop, "127.0.0.1", "no-such-service"); });
    for (const auto* named : {"'127.0.0.1'", "'no-such-service'"}) EXPECT_SAYS(refusal, named);
}

TEST_P(resolving, the_answer_to_a_cancelled_resolution_is_dropped) {
    event_loop& loop = keep(make_loop());
    resolver names(loop);
    auto asks = [&]() -> task<void> { co_await names.resolve("127.0.0.1", "80"); };
    std::vector tasks{create_task(loop, asks())};
    auto main = [&]() -> task<void> {
        co_await loop.yield();
        tasks[0].cancel();
        co_await until_done(tasks);
        // The resolver answers in order. The answer to this request therefore arrives after the answer that
        // the loop must drop.
        const auto found = co_await names.resolve("127.0.0.1", "81");
        EXPECT_EQ(found.front().port(), 81);
    };
    loop.run(main());
    EXPECT_TRUE(tasks[0].done());
}

TEST(resolver, the_caller_of_resolve_receives_the_error_of_a_failed_allocation) {
    if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
    const auto owner = make_loop("loop-epoll");
    event_loop& loop = *owner;
    resolver names(loop);
    bool failed = true;
    for (std::size_t index = 1; failed; ++index) {
        std::size_t found = 0;
        {
            const failing_allocation fails(index);
            try {
                found = loop.run(names.resolve("127.0.0.1", "80")).size();
            } catch (const std::bad_alloc&) {
            }
            failed = fails.has_failed();
        }
        EXPECT_EQ(found == 0, failed) << "allocation " << index;
    }
}

// This test makes only one request, because a request takes several seconds if the machine's name server does
// not answer.
TEST(resolver, resolving_an_unknown_host_throws) {
    const auto owner = make_loop("loop-epoll");
    event_loop& loop = *owner;
    EXPECT_THROW(resolve(loop, "no-such-host.invalid", "80"), std::runtime_error);
}

}  // namespace loopbench::loop::test

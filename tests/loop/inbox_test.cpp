// Tests the inbox, through which a group's loops receive messages (loop/inbox.hpp). tests/race explores its
// interleavings.
#include "loop/inbox.hpp"

#include <atomic>
#include <functional>
#include <thread>

#include "loop/timers/heap.hpp"
#include "loop/turn.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

/// A driver that counts the wake-ups, and that calls `while_asleep` once while its loop sleeps: the loop has
/// announced its sleep, and continues only after `while_asleep` has returned.
class watched_driver final : public driver {
public:
    static inline std::atomic<int> wakes{0};
    static inline std::function<void()> while_asleep;

    explicit watched_driver(ready_queue& ready) : driver(ready), real_(make_poll_driver(ready)) {}
    bool start(io_operation& op) override { return real_->start(op); }
    void discard(io_operation& op) noexcept override { real_->discard(op); }
    void close(int fd) noexcept override { real_->close(fd); }
    void wake() noexcept override {
        ++wakes;
        real_->wake();
    }
    void wait(time_point deadline) override {
        if (deadline != do_not_wait && while_asleep) std::exchange(while_asleep, nullptr)();
        real_->wait(deadline);
    }

private:
    const std::unique_ptr<driver> real_;
};

class an_inbox : public testing::Test {
protected:
    using watched_loop = design_loop<heap_timers, block_wait, waits_after_a_budget>;

    void SetUp() override {
        watched_driver::wakes = 0;
        watched_driver::while_asleep = nullptr;
    }

    /// Runs the loop until stop() is called; calls `send` in another thread as soon as the loop sleeps.
    void run_and_send_while_asleep(std::function<void()> send) {
        watched_driver::while_asleep = [send = std::move(send)] { std::jthread sender(send); };
        loop.run_forever();
    }

    std::function<void(event_loop&)> numbered(int i) {
        return [this, i](event_loop& by) {
            received.push_back(i);
            if (i == messages - 1) by.stop();
        };
    }

    void expect_all_in_order() {
        ASSERT_EQ(received.size(), std::size_t{messages});
        for (int i = 0; i < messages; ++i) ASSERT_EQ(received[static_cast<std::size_t>(i)], i);
    }

    static constexpr int messages = 1'000;
    watched_loop loop{
        "watched",
        [](ready_queue& ready) -> std::unique_ptr<driver> { return std::make_unique<watched_driver>(ready); },
        nullptr};
    inbox box{loop};
    std::vector<int> received;
};

}  // namespace

TEST_F(an_inbox, a_thousand_posts_to_a_sleeping_loop_wake_it_once) {
    run_and_send_while_asleep([this] {
        for (int i = 0; i < messages; ++i) EXPECT_TRUE(box.post(numbered(i)));
    });
    expect_all_in_order();
    EXPECT_EQ(watched_driver::wakes, 1);
    box.close();
}

TEST_F(an_inbox, a_chain_of_messages_arrives_in_order_and_wakes_the_loop_once) {
    run_and_send_while_asleep([this] {
        operation& oldest = box.make_message(numbered(0));
        operation* newest = &oldest;
        for (int i = 1; i < messages; ++i) {
            operation& added = box.make_message(numbered(i));
            added.next = newest;
            newest = &added;
        }
        EXPECT_TRUE(box.push(*newest, oldest));
    });
    expect_all_in_order();
    EXPECT_EQ(watched_driver::wakes, 1);
    box.close();
}

TEST_F(an_inbox, posts_to_a_loop_that_is_awake_do_not_wake_it) {
    for (int i = 0; i < messages; ++i) box.post(numbered(i));
    loop.run_forever();
    expect_all_in_order();
    EXPECT_EQ(watched_driver::wakes, 0);
    box.close();
}

TEST_F(an_inbox, the_next_message_after_a_delivery_wakes_the_loop_again) {
    int rounds = 0;
    std::function<void()> send = [&] {
        box.post([&](event_loop& by) {
            if (++rounds == 3) return by.stop();
            watched_driver::while_asleep = [&] { std::jthread sender(send); };
        });
    };
    run_and_send_while_asleep(send);
    EXPECT_EQ(watched_driver::wakes, 3);
    box.close();
}

TEST_F(an_inbox, a_closed_inbox_destroys_messages_and_refuses_further_ones) {
    int freed = 0;
    const auto counted = [&freed] { return [counter = freed_counter(freed)](event_loop&) { FAIL(); }; };
    EXPECT_TRUE(box.post(counted()));
    EXPECT_TRUE(box.post(counted()));
    box.close();
    EXPECT_EQ(freed, 2);
    EXPECT_FALSE(box.post(counted()));
    EXPECT_EQ(freed, 3);
    loop.run_until_idle();  // the delivery that was posted before close() must not open the inbox again
    EXPECT_FALSE(box.post(counted()));
    EXPECT_EQ(freed, 4);
}

TEST_F(an_inbox, the_destructor_of_a_message_can_post_to_the_closing_inbox) {
    struct last_words {
        inbox* to;
        int* refused;
        last_words(inbox& box, int& count) : to(&box), refused(&count) {}
        last_words(last_words&& other) noexcept
            : to(std::exchange(other.to, nullptr)), refused(other.refused) {}
        ~last_words() {
            if (to != nullptr) *refused += !to->post([](event_loop&) {});
        }
        void operator()(event_loop&) const {}
    };
    int refused = 0;
    box.post(last_words(box, refused));
    box.close();
    EXPECT_EQ(refused, 1);
}

TEST_F(an_inbox, run_throws_the_exception_of_a_message_and_keeps_the_following_messages) {
    box.post([](event_loop&) { throw std::runtime_error("refused"); });
    box.post(numbered(messages - 1));
    EXPECT_THROW(loop.run_forever(), std::runtime_error);
    loop.run_forever();
    EXPECT_EQ(received, std::vector{messages - 1});
    box.close();
}

// Each message is run, destroyed or refused exactly once, and no sender uses the loop after its end.
TEST(an_inbox_of_a_loop_that_ends, messages_that_arrive_during_the_end_are_run_destroyed_or_refused) {
    constexpr int rounds = 100;
    constexpr std::size_t senders = 3;
    for (int round = 0; round < rounds; ++round) {
        auto loop = make_loop("loop-epoll");
        inbox box(*loop);
        std::atomic<int> freed{0};
        std::atomic<int> run{0};
        using counter = basic_freed_counter<std::atomic<int>>;
        std::array<int, senders> sent{};
        {
            std::vector<std::jthread> threads;
            for (int& count : sent) {
                threads.emplace_back([&] {
                    bool is_accepted = true;
                    for (int i = 0; i < 2'000 && is_accepted; ++i) {
                        is_accepted = box.post([&run, freed = counter(freed)](event_loop&) { ++run; });
                        ++count;
                        std::this_thread::yield();
                    }
                });
            }
            for (int before = run; before < round % 10; before = run) loop->turn();
            box.close();
            loop.reset();
        }
        EXPECT_EQ(freed, sent[0] + sent[1] + sent[2]);
        EXPECT_GE(run, round % 10);
    }
}

}  // namespace loopbench::loop::test

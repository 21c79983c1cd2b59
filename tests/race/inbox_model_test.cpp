// Tests the race between threads that send messages to an inbox, the loop that takes the messages, sleeps and
// is woken, and the end of this loop. The code of loop/inbox.hpp and loop/posting.hpp runs on the atomics of
// relacy (see posting_model_test.cpp, which also explains the limits of the search).
//
// The model checks: (1) No message and no wake-up is lost; otherwise, the loop would sleep for ever, which
// relacy reports as a deadlock. (2) The inbox's delivery is never posted while it is still queued, and each
// sender that posts it has found the mailbox empty. (3) Each message is run once, in the order of its sender,
// or destroyed once when the inbox is closed, or refused afterwards. (4) A message sees everything that its
// sender wrote before; otherwise, relacy would report a data race. (5) After inbox::close(), no sender uses
// the loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "loop/inbox.hpp"
#include "tests/race/exploration.hpp"

namespace loopbench::loop::test {

namespace {

/// A loop (thread 0) and the threads that send messages to its inbox. If explored.stops_after is less than
/// the number of messages, the loop ends while the other threads still send.
template <rl::thread_id_t Senders>
class inbox_model : public rl::test_suite<inbox_model<Senders>, Senders + 1> {
public:
    inbox_model() {
        for (std::size_t sender = 0; sender < sent_.size(); ++sender) {
            for (std::size_t i = 0; i < messages_max; ++i) {
                message& each = sent_[sender][i];
                each.complete = &message::run_or_discard;
                each.model = this;
                each.sender = sender;
                each.number = static_cast<int>(i);
            }
        }
        delivery_.complete = &delivery::run;
        delivery_.model = this;
    }

    void before() { bell_.init(/*manual_reset=*/false, /*initial_state=*/false, here()); }

    void thread(unsigned index) { index == 0 ? run_loop() : send_all(sent_[index - 1]); }

    void after() {
        RL_ASSERT(completed_ + refused_ == static_cast<int>(Senders) * explored.posts_of_each);
        bell_.deinit(here());
    }

private:
    static constexpr std::size_t messages_max = 3;

    struct message : operation {
        rl::var<int> content;  // written by the sender, read by the loop's thread
        inbox_model* model = nullptr;
        std::size_t sender = 0;
        int number = 0;

        static void run_or_discard(operation* op, completion) {
            auto& self = *static_cast<message*>(op);
            RL_ASSERT(self.number == self.model->next_[self.sender]);
            RL_ASSERT(self.content(here()) == self.number);
            ++self.model->next_[self.sender];
            ++self.model->completed_;
        }
    };
    using messages_of_one = std::array<message, messages_max>;

    struct delivery : operation {
        rl::var<int> link;  // stands for `next`, which the sender and the loop write
        inbox_model* model = nullptr;

        static void run(operation* op, completion) {
            inbox_model& self = *static_cast<delivery*>(op)->model;
            self.delivery_.link(here()) = 0;
            self.delivery_is_queued_ = false;
            ++self.deliveries_taken_;
            self.mailbox_.take_all(self.ready_);
        }
    };

    static rl::debug_info here(const std::source_location& where = std::source_location::current()) {
        return at(where);
    }

    void send_all(messages_of_one& messages) {
        const auto count = static_cast<std::size_t>(explored.posts_of_each);
        if (explored.in_one_chain) {
            for (std::size_t i = 0; i < count; ++i) {
                messages[i].content(here()) = messages[i].number;
                if (i > 0) messages[i].next = &messages[i - 1];
            }
            if (!push(messages[count - 1], messages[0])) refused_ += explored.posts_of_each;
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            messages[i].content(here()) = messages[i].number;
            refused_ += !push(messages[i], messages[i]);
        }
    }

    // Sends a chain as inbox::push(), scheduler::push_from_any_thread() and event_loop::wake() do.
    bool push(operation& newest, operation& oldest) {
        const mailing how = mailbox_.push(newest, oldest);
        const bool delivers = how == mailing::first ||
                              (how == mailing::added && explored.planted == defect::every_message_delivers);
        if (!delivers) return how != mailing::refused;
        RL_ASSERT(!std::exchange(delivery_is_queued_, true));
        RL_ASSERT(!loop_has_ended_);
        delivery_.link(here()) = 1;
        if (posted_.push(delivery_)) {
            RL_ASSERT(!loop_has_ended_);
            if (sleep_notice_.is_up()) {
                RL_ASSERT(!loop_has_ended_);
                bell_.set(here());
            }
        }
        deliveries_posted_.fetch_add(1, rl::mo_release, here());
        return true;
    }

    void run_loop() {
        const int enough = std::min(explored.stops_after, static_cast<int>(Senders) * explored.posts_of_each);
        while (completed_ < enough) {
            sleep_notice_.sleep(
                [this] { return explored.planted != defect::no_second_look && !posted_.empty(); },
                [this](bool is_posted) { bell_.wait(/*try_wait=*/is_posted, /*is_timed=*/false, here()); });
            posted_.take_all(ready_);
            while (!ready_.empty()) {
                operation& next = ready_.pop();
                next.complete(&next, completion::run);
            }
        }
        close();
    }

    // Closes the inbox as inbox::close() does.
    void close() {
        operation_queue rest;
        if (mailbox_.close(rest)) ++deliveries_taken_;
        while (explored.planted != defect::no_wait_for_senders &&
               deliveries_posted_.load(rl::mo_acquire, here()) < deliveries_taken_)
            rl::yield(1, here());
        rest.discard_all();
        loop_has_ended_ = true;
    }

    basic_mailbox<explored_atomic> mailbox_;
    basic_operation_stack<explored_atomic> posted_;
    basic_sleep_notice<explored_atomic> sleep_notice_;
    rl::atomic<int> deliveries_posted_{0};
    rl::generic_event bell_;
    delivery delivery_;
    ready_queue ready_;
    std::array<messages_of_one, std::size_t{Senders}> sent_;
    std::array<int, std::size_t{Senders}> next_{};
    int deliveries_taken_ = 0;
    int completed_ = 0;
    int refused_ = 0;
    bool delivery_is_queued_ = false;
    bool loop_has_ended_ = false;
};

}  // namespace

TEST(inbox_model, messages_and_wake_ups_are_never_lost_if_a_thread_sends_once) {
    EXPECT_EQ(explore<inbox_model<1>>({.posts_of_each = 1}, search::all), "SUCCESS");
    EXPECT_EQ(explore<inbox_model<1>>({.posts_of_each = 3, .in_one_chain = true}, search::all), "SUCCESS");
    EXPECT_EQ(explore<inbox_model<1>>({.posts_of_each = 1, .stops_after = 0}, search::all), "SUCCESS");
}

TEST(inbox_model, messages_of_two_threads_are_never_lost_with_few_preemptions) {
    EXPECT_EQ(explore<inbox_model<1>>({.posts_of_each = 2}, search::few_preemptions, 3), "SUCCESS");
    EXPECT_EQ(explore<inbox_model<2>>({.posts_of_each = 1}, search::few_preemptions, 3), "SUCCESS");
    EXPECT_EQ(explore<inbox_model<2>>({.posts_of_each = 2, .in_one_chain = true}, search::few_preemptions, 2),
              "SUCCESS");
    EXPECT_EQ(explore<inbox_model<2>>({.posts_of_each = 2}, search::few_preemptions, 2), "SUCCESS");
}

TEST(inbox_model, messages_that_arrive_during_the_end_are_run_destroyed_or_refused) {
    EXPECT_EQ(explore<inbox_model<1>>({.posts_of_each = 2, .stops_after = 1}, search::few_preemptions, 4),
              "SUCCESS");
    EXPECT_EQ(explore<inbox_model<2>>({.posts_of_each = 1, .stops_after = 1}, search::few_preemptions, 3),
              "SUCCESS");
    EXPECT_EQ(explore<inbox_model<2>>({.posts_of_each = 1, .stops_after = 0}, search::few_preemptions, 3),
              "SUCCESS");
}

TEST(inbox_model, messages_and_wake_ups_are_never_lost_in_random_interleavings) {
    constexpr unsigned executions = 50'000;
    EXPECT_EQ(explore<inbox_model<2>>({.posts_of_each = 3}, search::random, executions), "SUCCESS");
    EXPECT_EQ(explore<inbox_model<2>>({.posts_of_each = 3, .stops_after = 2}, search::random, executions),
              "SUCCESS");
    EXPECT_EQ(explore<inbox_model<3>>({.posts_of_each = 2, .stops_after = 3}, search::random, executions),
              "SUCCESS");
}

TEST(inbox_model, each_planted_defect_is_detected) {
    constexpr finding findings[] = {
        {"no_second_look", defect::no_second_look, "DEADLOCK"},
        {"torn_take", defect::torn_take, "DEADLOCK"},
        {"every_message_delivers", defect::every_message_delivers, "USER ASSERT FAILED"},
        {"no_wait_for_senders", defect::no_wait_for_senders, "USER ASSERT FAILED"},
        {"relaxed_push", defect::relaxed_push, "DATA RACE"},
        {"relaxed_take", defect::relaxed_take, "DATA RACE"},
        {"push_without_acquire", defect::push_without_acquire, "DATA RACE"},
        {"take_without_release", defect::take_without_release, "DATA RACE"},
    };
    for (const finding& each : findings) {
        const int stops_after =
            each.planted == defect::no_wait_for_senders ? 1 : std::numeric_limits<int>::max();
        EXPECT_EQ(
            explore<inbox_model<2>>({.posts_of_each = 2, .stops_after = stops_after, .planted = each.planted},
                                    search::random, 100'000),
            each.found)
            << each.name;
    }
}

}  // namespace loopbench::loop::test

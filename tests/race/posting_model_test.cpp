// Tests the race between a loop that falls asleep and a thread that posts to it and wakes it. The loop's own
// code (loop/posting.hpp) runs on the atomics of relacy. relacy runs the threads one memory access at a time,
// in a very large number of orders. A load can return any older value that C++11 allows for its memory order.
//
// The model checks: (1) No wake-up is lost. If one were lost, the loop would sleep for ever, which relacy
// reports as a deadlock. (2) If the loop takes several posts off the stack together, at most one of them
// wakes the loop. No post wakes the loop before its first sleep. (3) Every post is called once, in the order
// of its thread's posts, or discarded once when the loop is closed. (4) A posted function sees everything
// that its thread wrote before the post. If it did not, relacy would report a data race.
//
// The tests explore all executions of one thread that posts once. For more posts, they explore executions
// with a few preemptions and one older value per load, and random executions with two older values. They do
// not cover more threads, more posts, or the kernel. They also do not cover loads that return a value that is
// stored later, because relacy executes each thread in program order. An event that remembers one wake-up
// replaces the kernel's eventfd.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/race/exploration.hpp"

namespace loopbench::loop::test {

namespace {

/// A loop (thread 0) and the threads that post to it. The loop runs turns as loop/turn.hpp does.
template <rl::thread_id_t Posters>
class posting_model : public rl::test_suite<posting_model<Posters>, Posters + 1> {
public:
    posting_model() {
        for (std::size_t poster = 0; poster < posts_.size(); ++poster) {
            for (int i = 0; i < explored.posts_of_each; ++i) {
                post& each = posts_[poster][static_cast<std::size_t>(i)];
                each.complete = &complete;
                each.model = this;
                each.poster = poster;
                each.number = i;
            }
        }
    }

    void before() { bell_.init(/*manual_reset=*/false, /*initial_state=*/false, here()); }

    void thread(unsigned index) {
        if (index == 0) {
            run_loop();
        } else {
            post_all(posts_[index - 1]);
        }
    }

    /// Ends the loop as scheduler::close() does, after the last call of post_all().
    void after() {
        take_posted();
        ready_.close();
        RL_ASSERT(completed_ == Posters * explored.posts_of_each);
        for (const posts_of_one& posts : posts_) {
            for (const post& each : posts) RL_ASSERT(each.found_nothing == each.was_taken_first);
        }
        bell_.deinit(here());
    }

private:
    static constexpr std::size_t posts_max = 3;

    struct post : operation {
        rl::var<int> content;  // written by the posting thread, read by the loop's thread
        posting_model* model = nullptr;
        std::size_t poster = 0;
        int number = 0;
        bool found_nothing = false;
        bool was_taken_first = false;
    };
    using posts_of_one = std::array<post, posts_max>;

    static rl::debug_info here(const std::source_location& where = std::source_location::current()) {
        return at(where);
    }

    // Posts as scheduler::post_from_any_thread() and event_loop::wake() do.
    void post_all(posts_of_one& posts) {
        for (int i = 0; i < explored.posts_of_each; ++i) {
            post& each = posts[static_cast<std::size_t>(i)];
            each.content(here()) = i;
            each.found_nothing = posted_.push(each);
            if (!each.found_nothing && explored.planted != defect::every_post_wakes) continue;
            if (explored.planted == defect::no_look_for_notice || sleep_notice_.is_up()) ring(each);
        }
    }

    void ring(const post& by) {
        RL_ASSERT(by.found_nothing);
        RL_ASSERT(has_slept_);
        bell_.set(here());
    }

    void run_loop() {
        const int enough = std::min(explored.stops_after, Posters * explored.posts_of_each);
        int early_returns = explored.early_returns;
        while (completed_ < enough) {
            sleep_notice_.sleep(
                [this] {
                    has_slept_ = true;
                    return explored.planted != defect::no_second_look && !posted_.empty();
                },
                [&](bool is_posted) {
                    const bool may_return_early = !is_posted && early_returns-- > 0;
                    bell_.wait(/*try_wait=*/is_posted, /*is_timed=*/may_return_early, here());
                });
            take_posted();
            while (!ready_.empty()) {
                operation& next = ready_.pop();
                next.complete(&next, completion::run);
            }
        }
    }

    void take_posted() {
        posted_.take_all(ready_);
        if (ready_.empty()) return;
        if (explored.planted == defect::taken_newest_first) {
            operation_queue newest_first;
            while (!ready_.empty()) {
                operation_queue one;
                one.push(ready_.pop());
                newest_first.prepend(std::move(one));
            }
            ready_.prepend(std::move(newest_first));
        }
        static_cast<post&>(ready_.front()).was_taken_first = true;
    }

    static void complete(operation* op, completion how) {
        auto& self = *static_cast<post*>(op);
        posting_model& model = *self.model;
        RL_ASSERT(self.number == model.next_[self.poster]);
        RL_ASSERT((how == completion::discard) == model.ready_.closed());
        RL_ASSERT(self.content(here()) == self.number);
        ++model.next_[self.poster];
        ++model.completed_;
    }

    basic_operation_stack<explored_atomic> posted_;
    basic_sleep_notice<explored_atomic> sleep_notice_;
    rl::generic_event bell_;
    ready_queue ready_;
    std::array<posts_of_one, std::size_t{Posters}> posts_;
    std::array<int, std::size_t{Posters}> next_{};
    int completed_ = 0;
    bool has_slept_ = false;
};

}  // namespace

// A thread that posts twice is left out here. All its 8,282,322 executions are also correct, but exploring
// them takes a dozen seconds.
TEST(posting_model, posts_and_wake_ups_are_never_lost_if_a_thread_posts_once) {
    EXPECT_EQ(explore<posting_model<1>>({.posts_of_each = 1}, search::all), "SUCCESS");
    EXPECT_EQ(explore<posting_model<1>>({.posts_of_each = 1, .early_returns = 2}, search::all), "SUCCESS");
    EXPECT_EQ(explore<posting_model<1>>({.posts_of_each = 2, .stops_after = 1}, search::all), "SUCCESS");
}

TEST(posting_model, posts_and_wake_ups_are_never_lost_during_several_posts_with_few_preemptions) {
    EXPECT_EQ(explore<posting_model<1>>({.posts_of_each = 2}, search::few_preemptions, 7), "SUCCESS");
    EXPECT_EQ(explore<posting_model<1>>({.posts_of_each = 3}, search::few_preemptions, 4), "SUCCESS");
    EXPECT_EQ(explore<posting_model<2>>({.posts_of_each = 1}, search::few_preemptions, 4), "SUCCESS");
    EXPECT_EQ(explore<posting_model<2>>({.posts_of_each = 1, .stops_after = 1}, search::few_preemptions, 4),
              "SUCCESS");
    EXPECT_EQ(explore<posting_model<2>>({.posts_of_each = 1, .early_returns = 1}, search::few_preemptions, 3),
              "SUCCESS");
    EXPECT_EQ(explore<posting_model<2>>({.posts_of_each = 2}, search::few_preemptions, 3), "SUCCESS");
}

TEST(posting_model, posts_and_wake_ups_are_never_lost_in_random_interleavings_of_many_posts) {
    constexpr unsigned executions = 100'000;
    EXPECT_EQ(explore<posting_model<2>>({.posts_of_each = 3}, search::random, executions), "SUCCESS");
    EXPECT_EQ(explore<posting_model<2>>({.posts_of_each = 3, .early_returns = 2}, search::random, executions),
              "SUCCESS");
    EXPECT_EQ(explore<posting_model<2>>({.posts_of_each = 3, .stops_after = 2}, search::random, executions),
              "SUCCESS");
    EXPECT_EQ(explore<posting_model<3>>({.posts_of_each = 2}, search::random, executions), "SUCCESS");
}

constexpr finding findings[] = {
    {"no_second_look", defect::no_second_look, "DEADLOCK"},
    {"weak_push", defect::weak_push, "DEADLOCK"},
    {"weak_second_look", defect::weak_second_look, "DEADLOCK"},
    {"weak_notice", defect::weak_notice, "DEADLOCK"},
    {"weak_look_for_notice", defect::weak_look_for_notice, "DEADLOCK"},
    {"every_post_wakes", defect::every_post_wakes, "USER ASSERT FAILED"},
    {"no_look_for_notice", defect::no_look_for_notice, "USER ASSERT FAILED"},
    {"taken_newest_first", defect::taken_newest_first, "USER ASSERT FAILED"},
    {"relaxed_push", defect::relaxed_push, "DATA RACE"},
    {"relaxed_take", defect::relaxed_take, "DATA RACE"},
};

TEST(posting_model, each_planted_defect_is_detected) {
    for (const finding& each : findings) {
        EXPECT_EQ(
            explore<posting_model<2>>({.posts_of_each = 2, .planted = each.planted}, search::random, 100'000),
            each.found)
            << each.name;
    }
}

}  // namespace loopbench::loop::test

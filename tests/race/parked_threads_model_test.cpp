// Tests the race between a thread that adds a function to a queue of floor-stealing-queue and threads that go
// to sleep because they have found none. The floor's own code runs on the atomics of relacy (see
// posting_model_test.cpp, which also explains the limits of the search).
//
// The model checks that no wake-up is lost: every function runs, and all threads end. Otherwise, relacy would
// report a deadlock.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>

#include "bench/suite/floors/parked_threads.hpp"
#include "bench/suite/floors/stealing_queue.hpp"
#include "tests/race/exploration.hpp"

namespace loopbench::loop::test {

namespace {

/// The owner of a queue (thread 0), which adds two functions, and the threads that run them.
template <rl::thread_id_t Workers>
class parking_model : public rl::test_suite<parking_model<Workers>, Workers + 1> {
public:
    void thread(unsigned index) { index == 0 ? add_all() : work(); }

    void after() {
        for (const function& each : functions_) RL_ASSERT(each.runs == 1);
    }

private:
    struct function {
        int runs = 0;
    };

    void add_all() {
        for (function& each : functions_) {
            queue_.push(&each);
            parked_.wake_one();
        }
    }

    void work() {
        constexpr auto order = std::memory_order::seq_cst;
        const auto has_ended = [this] { return ran_.load(order) == functions_.size(); };
        while (!has_ended()) {
            if (function* const next = queue_.steal()) {
                ++next->runs;
                if (ran_.fetch_add(1, order) + 1 == functions_.size()) parked_.wake_all();
                continue;
            }
            bool may_look = explored.planted != defect::sleep_without_look;
            parked_.sleep_until(
                [&] { return std::exchange(may_look, true) && (has_ended() || !queue_.empty()); });
        }
    }

    std::array<function, 2> functions_;
    bench::floors::basic_stealing_queue<explored_atomic, function, 2> queue_;
    bench::floors::basic_parked_threads<explored_atomic, explored_mutex, explored_event> parked_;
    explored_atomic<std::size_t> ran_{0};
};

}  // namespace

TEST(parked_threads_model, no_wake_up_is_lost_with_few_preemptions) {
    EXPECT_EQ(explore<parking_model<1>>({}, search::few_preemptions, 4), "SUCCESS");
    EXPECT_EQ(explore<parking_model<2>>({}, search::few_preemptions, 2), "SUCCESS");
}

TEST(parked_threads_model, no_wake_up_is_lost_in_random_interleavings) {
    EXPECT_EQ(explore<parking_model<3>>({}, search::random, 50'000), "SUCCESS");
}

TEST(parked_threads_model, each_planted_defect_is_detected) {
    constexpr finding findings[] = {
        {"sleep_without_look", defect::sleep_without_look, "DEADLOCK"},
        {"weak_look_for_sleepers", defect::weak_look_for_notice, "DEADLOCK"},
        {"relaxed_store_of_work", defect::relaxed_store, "DEADLOCK"},
    };
    for (const finding& each : findings) {
        EXPECT_EQ(explore<parking_model<2>>({.planted = each.planted}, search::random, 100'000), each.found)
            << each.name;
    }
}

}  // namespace loopbench::loop::test

// Tests the race between the owner of a queue of floor-stealing-queue, which adds and takes functions, and
// threads that steal from it. The queue's own code runs on the atomics of relacy (see
// posting_model_test.cpp, which also explains the limits of the search).
//
// The model checks: (1) Each function is taken exactly once, and none is lost, also if the queue is full
// meanwhile and its slots are used again. (2) A thread that takes a function sees everything that the owner
// wrote before it added it; otherwise, relacy would report a data race.
#include <gtest/gtest.h>

#include <array>

#include "bench/suite/floors/stealing_queue.hpp"
#include "tests/race/exploration.hpp"

namespace loopbench::loop::test {

namespace {

/// The owner (thread 0) and the threads that steal. The queue has room for two of the three functions.
template <rl::thread_id_t Thieves>
class stealing_model : public rl::test_suite<stealing_model<Thieves>, Thieves + 1> {
public:
    void thread(unsigned index) { index == 0 ? own() : steal(); }

    void after() {
        while (function* const left = queue_.steal()) run(*left);
        for (function& each : functions_) RL_ASSERT(each.runs == (each.is_added ? 1 : 0));
    }

private:
    struct function {
        rl::var<int> content;
        int runs = 0;
        bool is_added = false;
    };

    static rl::debug_info here(const std::source_location& where = std::source_location::current()) {
        return at(where);
    }

    void own() {
        for (function& each : functions_) {
            each.content(here()) = 1;
            each.is_added = queue_.push(&each);
        }
        if (function* const own = queue_.steal()) run(*own);
    }
    void steal() {
        for (int attempt = 0; attempt < 2; ++attempt)
            if (function* const stolen = queue_.steal()) run(*stolen);
    }
    void run(function& taken) {
        RL_ASSERT(taken.content(here()) == 1);
        taken.content(here()) = 2;  // a second run would fail
        ++taken.runs;
    }

    std::array<function, 3> functions_;
    bench::floors::basic_stealing_queue<explored_atomic, function, 2> queue_;
};

}  // namespace

TEST(stealing_queue_model, each_function_is_taken_once_with_few_preemptions) {
    EXPECT_EQ(explore<stealing_model<1>>({}, search::few_preemptions, 4), "SUCCESS");
    EXPECT_EQ(explore<stealing_model<2>>({}, search::few_preemptions, 3), "SUCCESS");
}

TEST(stealing_queue_model, each_function_is_taken_once_in_random_interleavings) {
    EXPECT_EQ(explore<stealing_model<3>>({}, search::random, 50'000), "SUCCESS");
}

TEST(stealing_queue_model, each_planted_defect_is_detected) {
    constexpr finding findings[] = {
        {"relaxed_store", defect::relaxed_store, "DATA RACE"},
        {"torn_steal", defect::torn_steal, "DATA RACE"},
    };
    for (const finding& each : findings) {
        EXPECT_EQ(explore<stealing_model<2>>({.planted = each.planted}, search::random, 100'000), each.found)
            << each.name;
    }
}

}  // namespace loopbench::loop::test

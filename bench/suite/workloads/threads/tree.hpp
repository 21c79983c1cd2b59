#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/threads/records.hpp"

namespace loopbench::bench::workloads::detail {

/// Trees of functions, one after the other. Each function posts its two children to any thread. A function
/// ends when both children have ended, without waiting for them in a thread.
template <ThreadedRuntime R>
class tree_trial {
public:
    tree_trial(R& loops, trial& t, std::size_t leaves)
        : runtime_(loops), records_(t, loops.threads(), 1), children_left_(leaves), first_leaf_(leaves) {}

    void run() {
        const std::uint64_t nodes = 2 * first_leaf_ - 1;
        trees_ = (records_.t.operations() + nodes - 1) / nodes;
        records_.t.did(trees_ * nodes);
        left_ = warm_up_trees;
        runtime_.post_to_any([this] { start(1); });
        runtime_.run();
        records_.t.prove("number of functions that ran", trees_ * nodes, records_.operations.sum());
        records_.t.prove("number of trees whose functions have all ended", trees_ + warm_up_trees, ended_);
        records_.report();
    }

private:
    static constexpr std::uint64_t warm_up_trees = 3;

    // Nodes have numbers as in a binary heap: the root is 1, and the children of n are 2n and 2n + 1.
    void start(std::size_t node) {
        records_.operations[this_thread_index()].add();
        if (node >= first_leaf_) return end(node);
        children_left_[node].store(2, std::memory_order_relaxed);
        for (const std::size_t child : {2 * node, 2 * node + 1})
            runtime_.post_to_any([this, child] { start(child); });
    }

    void end(std::size_t node) {
        for (; node > 1; node /= 2)
            if (children_left_[node / 2].fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        tree_ended();
    }

    void tree_ended() {
        ++ended_;
        if (--left_ == 0 && !next_section()) return;
        runtime_.post_to_any([this] { start(1); });
    }

    bool next_section() {
        if (!records_.is_timed()) {
            left_ = trees_;
            records_.begin();
            return true;
        }
        records_.end();
        records_.keep_shares();
        runtime_.finish();
        return false;
    }

    R& runtime_;
    thread_records records_;
    std::vector<std::atomic<int>> children_left_;
    std::size_t first_leaf_;
    std::uint64_t trees_ = 0, left_ = 0, ended_ = 0;  // used between two trees
};

}  // namespace loopbench::bench::workloads::detail

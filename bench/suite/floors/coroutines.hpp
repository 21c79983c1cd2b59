// Coroutines and functions in a queue, and nothing else: the cost of frames and a queue without cancellation,
// waiting for events, or posting from another thread.
#pragma once

#include <cstdint>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

void post_chain(trial& t);
void post_batch(trial& t);
void yield(trial& t);
void spawn(trial& t);
void await_leaf(trial& t);

/// Gathers 1000 children that end at once, or yield once.
void gather_ready(trial& t);
void gather_yield(trial& t);
/// Runs a tree of gathers of ten with `leaves` leaves, each of which yields once.
void gather_tree(trial& t, std::uint64_t leaves);

}  // namespace loopbench::bench::floors

// The workloads of floor-coroutine, which use only coroutines and functions in a queue. They show the time
// that frames and a queue take without cancellation, waiting for events, or posting from another thread.
#pragma once

#include <cstdint>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

void post_chain(trial& t);
void post_batch(trial& t);
void yield(trial& t);
void spawn(trial& t);
void await_leaf(trial& t);

/// Gather 1000 children, which end immediately (gather_ready) or yield once (gather_yield).
void gather_ready(trial& t);
void gather_yield(trial& t);
/// Gathers trees with `leaves` leaves each. Every inner node gathers ten children, and every leaf yields
/// once.
void gather_tree(trial& t, std::uint64_t leaves);

}  // namespace loopbench::bench::floors

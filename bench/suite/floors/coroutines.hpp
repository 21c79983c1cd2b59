// The workloads of floor-coroutine. They show the time that coroutine frames and a queue take. Cancellation,
// waiting for events, and posting from another thread are left out.
#pragma once

#include <cstdint>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

void post_chain(trial& t);
void post_batch(trial& t);
void yield(trial& t);
void spawn(trial& t);
void await_leaf(trial& t);

void gather_ready(trial& t);
void gather_yield(trial& t);
void gather_tree(trial& t, std::uint64_t leaves);

}  // namespace loopbench::bench::floors

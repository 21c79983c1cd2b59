// Coroutines and functions in a queue, and nothing else: what frames and a queue cost where nothing can be
// cancelled, waited for or posted from another thread.
#pragma once

#include <cstdint>

#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

void post_chain(trial& t);
void post_batch(trial& t);
void yield(trial& t);
void spawn(trial& t);
void await_leaf(trial& t);

/// A gather of 1000 children that end at once, or yield once.
void gather_ready(trial& t);
void gather_yield(trial& t);
/// A tree of gathers of ten with so many leaves, each of which yields once.
void gather_tree(trial& t, std::uint64_t leaves);

}  // namespace loopbench::bench::floors

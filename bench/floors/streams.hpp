// The streaming floors: the work of pipe/read and stream/throughput (bench/workloads) with its chunks and its
// proof, but with system calls placed by hand where the workload has two coroutines.
//
// A chunk is written and read before the next one, so that it is still in the caches when it is read. What a
// floor does for a chunk:
// - stream_blocking: a write and a read.
// - stream_epoll: the same two, and an epoll_wait between them.
// - stream_uring: one io_uring_enter, with both in it.
#pragma once

#include <cstddef>

#include "bench/workloads/trial/trial.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// Both ends of a pipe or, one way, of a connection. They are blocking when a floor gets them.
struct one_way {
    loop::unique_fd writer;
    loop::unique_fd reader;
};

/// Throws std::system_error.
one_way open_pipe();
one_way open_stream_over_loopback();

/// operations() chunks through `ends` until the end of the stream, every byte compared. An operating error
/// fails the trial; throws std::system_error when the floor cannot be set up. A chunk has to fit into what
/// the kernel keeps for the two ends, since nobody reads while it is written.
using stream_floor = void(one_way ends, std::size_t chunk_bytes, trial& t);

stream_floor stream_blocking;
stream_floor stream_epoll;
stream_floor stream_uring;

}  // namespace loopbench::bench::floors

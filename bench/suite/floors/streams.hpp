// The streaming floors: the work of pipe/read and stream/throughput (bench/suite/workloads) with its chunks
// and its proof, but with system calls placed by hand instead of two coroutines.
//
// A chunk is written and read before the next one, so that it is still in the caches when it is read. System
// calls of each floor per chunk:
// - stream_blocking: a write and a read.
// - stream_epoll: the same two, and an epoll_wait between them.
// - stream_uring: one io_uring_enter, with both in it.
#pragma once

#include <cstddef>

#include "bench/suite/workloads/trial/trial.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// Both ends of a pipe or, in one direction, of a connection. They are blocking when a floor receives them.
struct one_way {
    loop::unique_fd writer;
    loop::unique_fd reader;
};

/// Opens both ends. Throws std::system_error.
one_way open_pipe();
one_way open_stream_over_loopback();

/// A streaming floor: sends operations() chunks through `ends` until the end of the stream, with every byte
/// compared. An error on the stream fails the trial; throws std::system_error if the floor cannot be set up.
/// A chunk must fit into the kernel's buffers of the two ends, because nothing reads it while it is written.
using stream_floor = void(one_way ends, std::size_t chunk_bytes, trial& t);

stream_floor stream_blocking;
stream_floor stream_epoll;
stream_floor stream_uring;

}  // namespace loopbench::bench::floors

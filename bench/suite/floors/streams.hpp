// The streaming floors do the work of pipe/read and stream/throughput (bench/suite/workloads) with the same
// chunks and checks. They use hand-written system calls instead of two coroutines.
//
// A floor reads each chunk before it writes the next one, while the chunk is still in the caches. The floors
// make the following system calls per chunk:
// - stream_blocking calls write and read.
// - stream_epoll makes the same two calls, and an epoll_wait between them.
// - stream_uring calls io_uring_enter once, for both the write and the read.
#pragma once

#include <cstddef>

#include "bench/suite/workloads/trial/trial.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// Both ends of a pipe, or of a connection that is used in one direction. A floor receives them as blocking
/// descriptors.
struct one_way {
    loop::unique_fd writer;
    loop::unique_fd reader;
};

/// Return both ends of a new pipe or TCP connection. Throw std::system_error.
one_way open_pipe();
one_way open_stream_over_loopback();

/// A function that runs a streaming floor. It sends operations() chunks through `ends`, ends the stream, and
/// compares every received byte with the byte that was sent. An error on the stream fails the trial. The
/// function throws std::system_error if it cannot set up the floor. A chunk must fit into the kernel's
/// buffers for the stream, because no thread reads the chunk while it is written.
using stream_floor = void(one_way ends, std::size_t chunk_bytes, trial& t);

stream_floor stream_blocking;
stream_floor stream_epoll;
stream_floor stream_uring;

}  // namespace loopbench::bench::floors

// The streaming floors do the work of pipe/read and stream/throughput (bench/suite/workloads) with
// hand-written system calls instead of coroutines. The chunks and the checks are the same as in the
// workloads.
//
// A floor reads each chunk before it writes the next one, while the chunk is still in the caches. Per chunk,
// stream_blocking makes two calls, stream_epoll three and stream_uring one.
#pragma once

#include <cstddef>

#include "bench/suite/workloads/trial/trial.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

/// The two ends of a pipe, or of a connection that is used in one direction. The descriptors are blocking.
struct one_way {
    loop::unique_fd writer;
    loop::unique_fd reader;
};

/// Opens a pipe. This function and open_stream_over_loopback() throw std::system_error.
one_way open_pipe();
one_way open_stream_over_loopback();

/// A function that sends operations() chunks through `ends`. It throws std::system_error if the floor cannot
/// be set up. A chunk must fit into the kernel's buffers for the stream, because no thread reads it while it
/// is written.
using stream_floor = void(one_way ends, std::size_t chunk_bytes, trial& t);

stream_floor stream_blocking;
stream_floor stream_epoll;
stream_floor stream_uring;

}  // namespace loopbench::bench::floors

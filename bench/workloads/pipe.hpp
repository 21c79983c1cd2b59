// What a loop does with a descriptor that is not a socket.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "bench/runtime.hpp"
#include "bench/workloads/stream.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

inline constexpr std::size_t pipe_chunk_bytes = 4096;

/// One operation: 4 KiB written to a pipe and read from it, every byte compared. Writer and reader share the
/// loop.
template <Pipes R>
task_of<R> pipe_read(R& runtime, trial& t) {
    auto ends = runtime.open_pipe();
    detail::stream_check check(pipe_chunk_bytes);
    t.begin();
    std::array<task_of<R>, 2> both{detail::receive_stream<task_of<R>>(ends.reader, pipe_chunk_bytes, check),
                                   detail::send_stream<task_of<R>>(ends.writer, t, check)};
    co_await runtime.gather(std::span<task_of<R>>(both));
    t.end();
    check.prove(t, t.operations() * pipe_chunk_bytes);
}

}  // namespace loopbench::bench::workloads

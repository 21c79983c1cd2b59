#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <span>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/stream.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

inline constexpr std::size_t pipe_chunk_bytes = 4096;

template <Pipes R>
task_of<R> pipe_read(R& runtime, trial& t) {
    auto ends = runtime.open_pipe();
    co_await detail::carry_stream(runtime, t, ends.reader, ends.writer, pipe_chunk_bytes);
}

struct pipe_family {
    static constexpr std::array about{
        workload_info{"pipe/read", about_bulk, "one operation is 4 KiB written to a pipe and read from it",
                      "Measures the time from the first write until the last byte has arrived. Every byte is "
                      "compared.",
                      "Most of the time is spent on the system calls read and write, and on waiting while "
                      "the pipe is full or empty."},
    };
    static constexpr std::array shapes{
        workload_shape{"pipe/read/bytes:4096", 3000, 100'000, rate, 100, pipes | many_turns, on_demand,
                       pairing::interleaved},
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            if_there_is<R, Pipes<R>>("open_pipe", "pipe/read/bytes:4096",
                                     [](auto& r, trial& t) { return pipe_read(r, t); }),
        };
    }
};

}  // namespace loopbench::bench::workloads

#pragma once

#include <cstddef>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::floors {

/// Does the work of threads/echo (bench/suite/workloads/threads/sockets.hpp) with bare epoll calls. Each
/// thread has an epoll descriptor and a listening socket on the same port (SO_REUSEPORT). Throws
/// std::system_error.
void echo_threads(const thread_plan& plan, std::size_t connections, trial& t);

}  // namespace loopbench::bench::floors

#pragma once

#include <sys/resource.h>

namespace loopbench::tests {

/// Raises the limit of open files to the hard limit, for tests with 1000 connections.
inline void raise_limit_of_open_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace loopbench::tests

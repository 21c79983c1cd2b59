#pragma once

#include <gtest/gtest.h>
#include <sched.h>

namespace loopbench::bench::workloads {

inline int cores_of_this_thread() {
    cpu_set_t cores;
    EXPECT_EQ(::sched_getaffinity(0, sizeof cores, &cores), 0);
    return CPU_COUNT(&cores);
}

}  // namespace loopbench::bench::workloads

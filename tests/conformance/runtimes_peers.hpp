// The callback libraries under our tasks.
#pragma once

#include <gtest/gtest.h>

#include "bench/peers/ev_runtime.hpp"
#include "bench/peers/uv_runtime.hpp"

namespace loopbench::conformance {

using runtimes = testing::Types<bench::peers::ev_runtime, bench::peers::uv_runtime>;

}  // namespace loopbench::conformance

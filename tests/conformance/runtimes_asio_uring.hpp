// asio-uring, whose macros choose Asio's io_uring backend.
#pragma once

#include <gtest/gtest.h>

#include "asio_ref/uring_runtime.hpp"

namespace loopbench::conformance {

using runtimes = testing::Types<asio_ref::uring_runtime>;

}  // namespace loopbench::conformance

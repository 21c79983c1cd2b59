// asio-tuned, whose macros take Asio's locks away.
#pragma once

#include <gtest/gtest.h>

#include "asio_ref/tuned/runtime.hpp"

namespace loopbench::conformance {

using runtimes = testing::Types<asio_ref::tuned::runtime>;

}  // namespace loopbench::conformance

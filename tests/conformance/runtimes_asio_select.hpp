// asio-select, whose macro takes epoll away from Asio.
#pragma once

#include <gtest/gtest.h>

#include "asio_ref/select_runtime.hpp"

namespace loopbench::conformance {

using runtimes = testing::Types<asio_ref::select_runtime>;

}  // namespace loopbench::conformance

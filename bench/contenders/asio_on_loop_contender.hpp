// What the contenders asio-on-* share: the source of asio-epoll, on loopbench::asio::io_context.
#pragma once

namespace loopbench::bench {

/// `design` is what LOOPBENCH_ASIO can be.
int asio_on_loop_contender_main(int argc, char** argv, const char* name, const char* design);

}  // namespace loopbench::bench

#pragma once

namespace loopbench::bench {

/// Runs the contender `name` on the loop `design`, and returns its exit code. `design` must be a value that
/// the environment variable LOOPBENCH_ASIO accepts.
int asio_on_loop_contender_main(int argc, char** argv, const char* name, const char* design);

}  // namespace loopbench::bench

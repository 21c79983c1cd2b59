// The main program of the contender libuv.
#include <uv.h>

#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/peers/uv_runtime.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    return contender_main<peers::uv_runtime>(
        argc, argv, {.library = "libuv", .library_version = uv_version_string(), .driver = "epoll"});
}

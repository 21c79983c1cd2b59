// The main program of the contender libuv-reuseport.
#include <uv.h>

#include <memory>

#include "bench/suite/contenders/threads_main.hpp"
#include "bench/suite/threads/uv_each.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    return threads_main<uv_each_runtime>(
        argc, argv,
        {.name = "libuv-reuseport",
         .library = "libuv",
         .library_version = uv_version_string(),
         .driver = "epoll",
         .socket_options =
             [] {
                 return own_socket_options<peers::uv_runtime>(
                     [] { return std::make_unique<peers::uv_runtime>(); });
             }},
        [](const thread_plan& plan) { return std::make_unique<uv_each_runtime>(plan); });
}

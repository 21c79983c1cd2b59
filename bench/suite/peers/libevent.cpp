// The main program of the contender libevent.
#include <event2/event.h>

#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/peers/ev_runtime.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    return contender_main<peers::ev_runtime>(
        argc, argv, {.library = "libevent", .library_version = event_get_version(), .driver = "epoll"});
}

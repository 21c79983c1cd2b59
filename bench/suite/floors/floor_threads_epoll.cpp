// The contender floor-threads-epoll makes hand-written epoll calls in several threads.
#include <sys/utsname.h>

#include <string>

#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/floors/echo_threads.hpp"
#include "bench/suite/floors/floors.hpp"
#include "bench/suite/threads/crew.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    std::vector<contender_workload> all;
    for (const workload_shape& shape : workload_table()) {
        if (shape.threads == 0) continue;
        constexpr std::string_view echo = "threads/echo/conns:";
        if (!shape.front.starts_with(echo)) {
            all.push_back({shape, unsupported_because("this floor does not implement the workload")});
            continue;
        }
        const std::size_t connections = std::stoul(std::string(shape.front.substr(echo.size())));
        all.push_back({shape, [threads = static_cast<std::size_t>(shape.threads), connections](trial& t) {
                           if (const auto plan = plan_of_trial(threads, t))
                               floors::echo_threads(*plan, connections, t);
                       }});
    }
    utsname kernel{};
    ::uname(&kernel);
    return run_contender(argc, argv,
                         {.name = "floor-threads-epoll",
                          .library = "Linux",
                          .library_version = kernel.release,
                          .driver = "epoll",
                          .role = "floor",
                          .build = this_build(),
                          .buffers = workload_buffers(),
                          .socket_options = floors::epoll_floor().socket_options},
                         all);
}

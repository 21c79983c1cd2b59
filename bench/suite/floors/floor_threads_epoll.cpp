// The contender floor-threads-epoll makes hand-written epoll calls in several threads.
#include <sys/utsname.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/floors/floors.hpp"
#include "bench/suite/floors/threads_workloads.hpp"
#include "bench/suite/threads/crew.hpp"

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    std::vector<contender_workload> all;
    for (const workload_shape& shape : workload_table()) {
        if (shape.threads == 0) continue;
        auto run = floors::threads_workload(shape.front);
        if (!run) {
            all.push_back(
                {shape, unsupported_because(std::string(floors::why_no_threads_workload(shape.front)))});
            continue;
        }
        all.push_back(
            {shape, [threads = static_cast<std::size_t>(shape.threads), run = std::move(run)](trial& t) {
                 if (const auto plan = plan_of_trial(threads, t)) {
                     run(*plan, t);
                     report_wait_for_a_cpu(t);
                 }
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

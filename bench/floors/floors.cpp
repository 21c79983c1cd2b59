#include "bench/floors/floors.hpp"

#include <sys/utsname.h>

#include <array>
#include <iterator>

#include "bench/contenders/socket_options.hpp"
#include "bench/floors/connections.hpp"
#include "bench/floors/workloads.hpp"

namespace loopbench::bench::floors {

namespace {

std::vector<floor_workload> echo_and_timers(echo_floor& echo, make_sleeper& make) {
    std::vector<floor_workload> can = echo_workloads(echo);
    std::ranges::move(timer_workloads(make), std::back_inserter(can));
    return can;
}

std::string own_options() {
    const std::vector<connection> one = connect_over_loopback(1);
    return options_of_connection(one.front().client.get(), one.front().server.get());
}

std::string makes_no_connections() {
    return "none: it makes no connections";
}

}  // namespace

floor blocking_floor() {
    static constexpr std::string_view keeps_no_time = "a blocking socket call keeps no time; see floor-sleep";
    static constexpr std::array cannot{
        missing_family{"sleep/", keeps_no_time}, missing_family{"timer/", keeps_no_time},
        missing_family{"idle/", keeps_no_time}, missing_family{"gather/sleep", keeps_no_time}};
    return {"floor-blocking", "blocking send and recv", all_workloads(echo_workloads(echo_blocking), cannot),
            own_options};
}

floor epoll_floor() {
    return {"floor-epoll", "epoll and timerfd",
            all_workloads(echo_and_timers(echo_epoll, make_timerfd_sleeper), {}), own_options};
}

floor sleep_floor() {
    static constexpr std::array cannot{
        missing_family{"echo/", "clock_nanosleep moves no bytes; see floor-blocking"}};
    return {"floor-sleep", "clock_nanosleep", all_workloads(timer_workloads(make_nanosleep_sleeper), cannot),
            makes_no_connections};
}

floor uring_floor() {
    return {"floor-uring", "io_uring", all_workloads(echo_and_timers(echo_uring, make_uring_sleeper), {}),
            own_options};
}

std::string buffers_of(const floor& f) {
    return f.socket_options == makes_no_connections ? makes_no_connections() : workload_buffers();
}

int floor_main(int argc, char** argv, const floor& f) {
    utsname kernel{};
    ::uname(&kernel);
    return run_contender(argc, argv, f.name,
                         {.library = "Linux",
                          .library_version = kernel.release,
                          .driver = f.calls,
                          .build = this_build(),
                          .buffers = buffers_of(f),
                          .socket_options = f.socket_options},
                         f.workloads);
}

}  // namespace loopbench::bench::floors

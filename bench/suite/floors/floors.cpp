#include "bench/suite/floors/floors.hpp"

#include <sys/utsname.h>

#include <array>
#include <initializer_list>

#include "bench/suite/contenders/process/socket_options.hpp"
#include "bench/suite/floors/connections.hpp"
#include "bench/suite/floors/workloads.hpp"

namespace loopbench::bench::floors {

namespace {

std::vector<floor_workload> joined(std::initializer_list<std::vector<floor_workload>> families) {
    std::vector<floor_workload> all;
    for (const auto& family : families) all.insert(all.end(), family.begin(), family.end());
    return all;
}

std::string own_options() {
    const std::vector<connection> one = connect_over_loopback(1);
    return options_of_connection(one.front().client.get(), one.front().server.get());
}

std::string makes_no_connections() {
    return "none: this floor makes no connections";
}

}  // namespace

floor blocking_floor() {
    static constexpr std::string_view no_timers =
        "blocking socket calls have no timers; use floor-sleep instead";
    static constexpr std::array cannot{
        missing_family{"sleep/", no_timers}, missing_family{"timer/", no_timers},
        missing_family{"idle/", no_timers}, missing_family{"gather/sleep", no_timers}};
    return {"floor-blocking", "blocking send, recv, write and read; futex",
            all_workloads(joined({echo_workloads(echo_blocking), stream_workloads(stream_blocking),
                                  wakeup_workloads(make_futex_waker)}),
                          cannot),
            own_options};
}

floor coroutine_floor() {
    static constexpr std::array cannot{
        missing_family{"", "this floor makes no system calls; use floor-epoll instead"}};
    return {"floor-coroutine", "coroutines in a queue", all_workloads(scheduler_workloads(), cannot),
            makes_no_connections};
}

floor epoll_floor() {
    return {"floor-epoll", "epoll, timerfd and eventfd",
            all_workloads(joined({echo_workloads(echo_epoll), timer_workloads(make_timerfd_sleeper),
                                  stream_workloads(stream_epoll), wakeup_workloads(make_epoll_waker)}),
                          {}),
            own_options};
}

floor sleep_floor() {
    static constexpr std::string_view no_data =
        "clock_nanosleep transfers no data; use floor-blocking instead";
    static constexpr std::array cannot{
        missing_family{"echo/", no_data}, missing_family{"stream/", no_data},
        missing_family{"pipe/", no_data},
        missing_family{"post/cross_thread",
                       "another thread cannot wake clock_nanosleep; use floor-blocking instead"}};
    return {"floor-sleep", "clock_nanosleep", all_workloads(timer_workloads(make_nanosleep_sleeper), cannot),
            makes_no_connections};
}

floor uring_floor() {
    return {"floor-uring", "io_uring",
            all_workloads(joined({echo_workloads(echo_uring), timer_workloads(make_uring_sleeper),
                                  stream_workloads(stream_uring), wakeup_workloads(make_uring_waker)}),
                          {}),
            own_options};
}

std::string buffers_of(const floor& f) {
    return f.socket_options == makes_no_connections ? makes_no_connections() : workload_buffers();
}

int floor_main(int argc, char** argv, const floor& f) {
    utsname kernel{};
    ::uname(&kernel);
    return run_contender(argc, argv,
                         {.name = std::string(f.name),
                          .library = "Linux",
                          .library_version = kernel.release,
                          .driver = f.calls,
                          .role = "floor",
                          .build = this_build(),
                          .buffers = buffers_of(f),
                          .socket_options = f.socket_options},
                         f.workloads);
}

}  // namespace loopbench::bench::floors

#include "bench/floors/workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/floors/timers.hpp"
#include "bench/workloads/list.hpp"
#include "loop/designs.hpp"

namespace loopbench::bench::floors {

namespace {

/// The suite's workloads without their coroutines. These differ by runtime, the shapes do not: any runtime
/// will do, and none of its code gets into a floor.
constexpr auto suite = [] {
    constexpr auto list = workload_list<loop::epoll_runtime>();
    std::array<workload_shape, list.size()> shapes{};
    std::copy(list.begin(), list.end(), shapes.begin());
    return shapes;
}();

std::string reason_for(std::string_view name, std::span<const missing_family> cannot) {
    for (const missing_family& family : cannot)
        if (name.starts_with(family.front)) return std::string(family.reason);
    for (const std::string_view family :
         {"post/", "yield", "spawn", "await/", "gather/yield", "gather/ready"})
        if (name.starts_with(family)) return "no system call is involved; the floor is a function call";
    return "this floor has no bare system calls for it";
}

/// The kernel refuses when a floor is set up; after that its operating errors are values.
std::function<void(trial&)> unsupported_when_refused(std::function<void(trial&)> run) {
    return [run = std::move(run)](trial& t) {
        try {
            run(t);
        } catch (const std::system_error& error) {
            if (!kernel_refuses(error.code())) throw;
            t.unsupported(error.what());
        }
    };
}

}  // namespace

std::vector<floor_workload> echo_workloads(echo_floor& echo) {
    std::vector<floor_workload> can;
    for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{1000}}) {
        can.push_back({fmt::format("echo/rtt/tcp/conns:{}/bytes:{}", count, workloads::echo_bytes),
                       [count, &echo](trial& t) { echo(connect_over_loopback(count), t); }});
    }
    return can;
}

std::vector<floor_workload> timer_workloads(make_sleeper& make) {
    const auto with_sleeper = [&make](timer_floor& work) {
        return [&make, &work](trial& t) { work(*make(), t); };
    };
    return {{"sleep/serial", with_sleeper(sleep_serial)},
            {"sleep/concurrent", with_sleeper(sleep_concurrent)},
            {"timer/periodic", with_sleeper(timer_periodic)},
            {"idle/timer", with_sleeper(idle_timer)},
            {"gather/sleep/children:1000", with_sleeper(gather_sleep)}};
}

std::vector<contender_workload> all_workloads(std::span<const floor_workload> can,
                                              std::span<const missing_family> cannot) {
    std::vector<contender_workload> all;
    std::size_t used = 0;
    for (const workload_shape& shape : suite) {
        const auto found = std::ranges::find(can, shape.name, &floor_workload::name);
        if (found != can.end()) {
            all.push_back({shape, unsupported_when_refused(found->run)});
            ++used;
        } else {
            all.push_back(
                {shape, [reason = reason_for(shape.name, cannot)](trial& t) { t.unsupported(reason); }});
        }
    }
    if (used != can.size())
        throw std::logic_error(
            "a floor names a workload that is not in the suite: compare bench/floors/workloads.cpp with "
            "bench/workloads/list.hpp");
    return all;
}

}  // namespace loopbench::bench::floors

// The contenders loop-*: one of the designs of loop/designs.hpp, which CMake chooses.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "bench/contenders/contender_main.hpp"
#include "bench/contenders/select_limit.hpp"
#include "loop/designs.hpp"

namespace {

using design = loopbench::loop::LOOPBENCH_DESIGN;

using loopbench::bench::workload_shape;

// A tick is 100 ms, and everything that suspends costs at least one, so workloads of many turns would take
// minutes. Of few turns are those that wait for what is due together, or for far deadlines, at their real
// size.
bool takes_few_turns(const workload_shape& workload) {
    constexpr std::array<std::string_view, 5> fronts{"sleep/", "idle/", "timer/expire/",
                                                     "timer/ladder/us:100000", "await/leaf"};
    return std::ranges::any_of(fronts,
                               [&](std::string_view front) { return workload.name.starts_with(front); });
}

std::optional<std::string> why_not(const workload_shape& workload) {
    if (design::name == loopbench::loop::tick_runtime::name && !takes_few_turns(workload))
        return "every turn sleeps 100 ms, and this workload takes many turns";
    if (design::name == loopbench::loop::scheduler_runtime::name && workload.name == "timer/under_load")
        return "it looks at its timers only when nothing is ready, as its document does, and here something "
               "always is";
    constexpr bool on_select = std::is_same_v<design::driver_type, loopbench::loop::select_driver>;
    return on_select ? loopbench::bench::why_not_on_select(workload) : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
    return loopbench::bench::contender_main<design>(
        argc, argv,
        {.library = "loopbench", .library_version = LOOPBENCH_VERSION, .driver = LOOPBENCH_DRIVER}, why_not);
}

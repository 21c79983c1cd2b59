// The contenders loop-*: one of the designs of loop/designs.hpp, which CMake chooses.
#include <optional>
#include <string>
#include <type_traits>

#include "bench/contenders/contender_main.hpp"
#include "bench/contenders/select_limit.hpp"
#include "loop/designs.hpp"

namespace {

using design = loopbench::loop::LOOPBENCH_DESIGN;

// A tick is 100 ms, and everything that suspends costs at least one: thousands of them would take minutes and
// say nothing that the sleeps do not say.
std::optional<std::string> why_not(const loopbench::bench::workload_shape& workload) {
    const bool few_turns = workload.name.starts_with("sleep/") || workload.name.starts_with("idle/");
    if (design::name == loopbench::loop::tick_runtime::name && !few_turns)
        return "every turn sleeps 100 ms, and this workload takes thousands of turns";
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

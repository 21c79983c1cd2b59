#include "bench/suite/contenders/loop_threads_contender.hpp"

#include <memory>
#include <string>

#include "bench/suite/contenders/threads_main.hpp"
#include "bench/suite/threads/loop_each.hpp"

namespace loopbench::bench {

int loop_threads_main(int argc, char** argv, std::string_view name, std::string_view design, dealing how) {
    const contender_info info{
        .name = std::string(name),
        .library = "loopbench",
        .library_version = LOOPBENCH_VERSION,
        .driver = std::string(loop::find_design(design)->driver),
        .socket_options = [design] {
            return own_socket_options<loop::event_loop>([design] { return loop::make_loop(design); });
        }};
    return threads_main<loop_each_runtime>(argc, argv, info, [design, how](const thread_plan& plan) {
        return std::make_unique<loop_each_runtime>(plan, how, design);
    });
}

}  // namespace loopbench::bench

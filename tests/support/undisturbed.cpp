// A machine on which nothing else ever runs, in the place of bench/trial/disturbance.cpp: whether a test of
// the command passes is then no question of how busy the real one is. How disturbances are found and what
// they do has tests of its own (self_check_test.cpp).
#include "bench/trial/disturbance.hpp"

namespace loopbench::bench {

machine_sample read_machine() {
    return {};
}

std::int64_t load_ns(const machine_sample&, const machine_sample&, const resource_usage&) {
    return 0;
}

std::string disturbance(const machine_sample&, const machine_sample&, const resource_usage&,
                        std::chrono::nanoseconds) {
    return {};
}

}  // namespace loopbench::bench

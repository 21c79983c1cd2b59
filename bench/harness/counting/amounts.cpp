#include "bench/harness/counting/amounts.hpp"

#include <algorithm>
#include <cmath>

namespace loopbench::bench {

namespace {

std::vector<amount_of_work> amounts_in_operations(const benchmark_speed& of, double operation_s,
                                                  double least_s) {
    if (!of.is_calibrated) {
        const auto fixed = static_cast<std::uint64_t>(of.operations_of_probe);
        return {{.operations = fixed}, {.operations = 2 * fixed}};
    }
    // 100 operations are at least two batches, also of workloads with batches. Fewer are enough if they would
    // take longer than a second. 20,000 operations are enough if a tracer slows them down.
    constexpr double usual_fewest = 100, usual_least_s = 0.03, usual_most = 20'000, usual_s = 0.1;
    const double fewest = std::clamp(1 / operation_s, 1.0, usual_fewest),
                 most = std::max(usual_most * least_s / usual_least_s, fewest);
    const auto operations = static_cast<std::uint64_t>(
        std::clamp(std::ceil(std::max(usual_s, least_s) / operation_s), fewest, most));
    return {{.operations = operations}, {.operations = 2 * operations}};
}

}  // namespace

std::vector<amount_of_work> amounts_by_repetitions(int most) {
    return {{.repetitions = 1}, {.repetitions = most}};
}

std::vector<amount_of_work> amounts_for(const benchmark_speed& of, const wanted_work& wanted) {
    constexpr double shortest_operation_s = 1e-10, long_s = 0.02, very_long_s = 1;
    const double operation_s = std::max(of.operation_s * wanted.slowdown, shortest_operation_s),
                 least_s = wanted.least.count();
    if (of.runs_command) {
        constexpr double usual_fewest = 3, most = 1000;
        const double fewest = operation_s < very_long_s ? usual_fewest : 1;
        const auto runs =
            static_cast<std::uint64_t>(std::clamp(std::ceil(least_s / operation_s), fewest, most));
        return {{.operations = runs}, {.operations = 2 * runs}};
    }
    if (of.takes_operations) return amounts_in_operations(of, operation_s, least_s);
    if (!of.is_calibrated) {
        constexpr double fewest = 3, most = 1000;
        const double repetitions = std::ceil(least_s / operation_s / of.operations_of_probe);
        return amounts_by_repetitions(static_cast<int>(std::clamp(repetitions, fewest, most)));
    }
    if (operation_s >= very_long_s) return amounts_by_repetitions(2);
    // A program runs a batch of one iteration, and ends with a batch of up to 1.4 times the minimum time.
    const double usual_s = std::max(least_s, (operation_s >= long_s ? 1.5 : 2.5) * operation_s);
    // Together, the batches of the second process take between 1 and about 2.5 times its minimum time. With
    // twice the time, the third process could do as many iterations as the second one, and the set-up could
    // not be separated.
    return {{}, {.min_time_s = usual_s}, {.min_time_s = 4 * usual_s}};
}

}  // namespace loopbench::bench

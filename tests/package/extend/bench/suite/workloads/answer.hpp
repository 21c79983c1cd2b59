// A workload that tests/package/extend.py adds to a copy of the sources. One operation is one addition.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench::workloads {

template <Runtime R>
task_of<R> answer(R& runtime, trial& t) {
    std::uint64_t sum = 0;
    t.begin();
    for (std::uint64_t i = 0; i < t.operations(); ++i) sum += 42;
    co_await runtime.yield();
    t.end();
    t.report("answers", static_cast<double>(sum) / static_cast<double>(t.operations()));
    t.prove("the sum of all answers", 42 * t.operations(), sum);
}

struct answer_family {
    static constexpr std::array about{
        workload_info{"answer", about_work, "one operation is one addition", "The additions.", "Nothing."},
    };
    static constexpr std::array shapes{
        workload_shape{"answer", 1000, 1000, rate, 100, needs(), headline, pairing::sequential},
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {{"answer", answer<R>}};
    }
};

}  // namespace loopbench::bench::workloads

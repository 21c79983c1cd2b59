// What a header with workloads says of them: a struct NAME_family at its end, which CMakeLists.txt expects
// there, with what each does (about), what there is to know of it (shapes) and which function it is.
#pragma once

#include <string_view>

#include "bench/runtime.hpp"
#include "bench/workloads/table.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench {

/// A workload on a runtime.
template <Runtime R>
struct workload {
    std::string_view name;
    task_of<R> (*run)(R& runtime, trial& t);  // null when the runtime lacks what it is made of
    std::string_view lacks{};                 // the word that it has not, then
};

/// For a workload that needs a word beyond the Runtime concept: `run` is a generic function, compiled when
/// the runtime has the word.
template <Runtime R, bool HasTheWord, class Run>
constexpr workload<R> if_there_is(std::string_view word, std::string_view name, Run run) {
    if constexpr (HasTheWord) {
        return {name, run};
    } else {
        return {name, nullptr, word};
    }
}

namespace workloads {

// The words of a family's shapes.
using enum need;
using reports::way;
inline constexpr bool headline = true;  // measured without being asked for
inline constexpr bool on_demand = false;
inline constexpr bool rate = true;  // operations per second say something
inline constexpr bool no_rate = false;
inline constexpr bool countable = true;
inline constexpr bool not_countable = false;

}  // namespace workloads

}  // namespace loopbench::bench

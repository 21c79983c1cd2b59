// What `loopbench explain` says of contenders, and who is measured when nobody is named. Data only, from
// where CMake is told of each (loopbench_add_contender in bench/contenders/CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct explanation {
    std::string_view name;
    std::string_view text;
    bool headline = true;  // see is_headline_contender()
};

/// Every contender of this repository.
std::span<const explanation> contender_explanations();

/// Every parameter of a workload's name: what `conns` in "conns:1000" counts.
std::span<const explanation> parameter_explanations();

/// That of the contender of this name; null when there is none.
const explanation* explanation_of(std::string_view name);

/// Who is measured when no contender is named and no workload: `--quick` has a minute for the founding
/// designs, the flagships, Asio in its usual form and at its best, and the floors; without flags, all
/// contenders run the headline workloads (bench/workloads/table.hpp). What is not in the list is headline: a
/// stranger's contender is shown.
bool is_headline_contender(std::string_view name);

}  // namespace loopbench::bench

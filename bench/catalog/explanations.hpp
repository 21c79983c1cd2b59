// The texts of `loopbench explain` for contenders, and the contenders that are measured by default. Data
// only, from the CMake call that adds each contender (loopbench_add_contender in
// bench/suite/contenders/CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct explanation {
    std::string_view name;
    std::string_view text;
    bool headline = true;  // see is_headline_contender()
};

/// Returns every contender of this repository.
std::span<const explanation> contender_explanations();

/// Returns every parameter of a workload's name: what `conns` in "conns:1000" counts.
std::span<const explanation> parameter_explanations();

/// Returns the explanation of the contender with this name; null if it is unknown.
const explanation* explanation_of(std::string_view name);

/// Returns true if the contender is measured when the user names no contender and no workload: `--quick` has
/// a minute for the tutorials' designs, the flagships, Asio in its usual form and at its best, and the
/// floors; without flags, all contenders run the headline workloads (bench/catalog/workload_table.hpp). A
/// contender that is not in the list is headline, so that third-party contenders are shown.
bool is_headline_contender(std::string_view name);

}  // namespace loopbench::bench

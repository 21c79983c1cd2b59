// The texts of `loopbench explain` for contenders and for parameters of workloads, and the list of contenders
// that `loopbench run --quick` measures. The facts about a contender come from the CMake call that adds the
// contender (loopbench_add_contender in bench/suite/contenders/CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct explanation {
    std::string_view name;
    std::string_view text;
    bool headline = true;  // the result of is_headline_contender()
};

/// Returns the explanations of all contenders that this repository contains.
std::span<const explanation> contender_explanations();

/// Returns the explanations of all parameters in names of workloads, such as `conns` in "conns:1000".
std::span<const explanation> parameter_explanations();

/// Returns the explanation of the contender with this name, or null for an unknown name.
const explanation* explanation_of(std::string_view name);

/// Returns true if `loopbench run --quick` measures the contender when the user names neither contenders nor
/// workloads. Such a run takes a minute. This is enough time for the tutorials' designs, the flagships, Asio
/// in its usual form and at its best, and the floors. A contender without an explanation counts as headline,
/// so that third-party contenders are shown.
bool is_headline_contender(std::string_view name);

}  // namespace loopbench::bench

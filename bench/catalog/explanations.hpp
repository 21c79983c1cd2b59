// The texts of `loopbench explain` for contenders and for parameters of workloads. The texts about contenders
// come from loopbench_add_contender() in bench/suite/contenders/CMakeLists.txt.
#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct explanation {
    std::string_view name;
    std::string_view text;
    bool headline = true;
};

std::span<const explanation> contender_explanations();

std::span<const explanation> parameter_explanations();

/// Returns the explanation of a contender or a parameter, or null for an unknown name.
const explanation* explanation_of(std::string_view name);

/// Returns true if `loopbench run --quick` measures the contender by default. Only some contenders are
/// measured, because such a run must fit into a minute. Third-party contenders, which have no explanation,
/// always count as headline.
bool is_headline_contender(std::string_view name);

}  // namespace loopbench::bench

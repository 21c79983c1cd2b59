// The texts of `loopbench explain` for contenders, and the list of contenders that are measured by default.
// These are only data. They come from the CMake call that adds each contender (loopbench_add_contender in
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

/// Returns the explanations of all contenders of this repository.
std::span<const explanation> contender_explanations();

/// Returns the explanations of all parameters in names of workloads, such as `conns` in "conns:1000".
std::span<const explanation> parameter_explanations();

/// Returns the explanation of the contender with this name; null if it is unknown.
const explanation* explanation_of(std::string_view name);

/// Returns true if the contender is measured when the user names neither contenders nor workloads. `--quick`
/// has a minute for these contenders: the tutorials' designs, the flagships, Asio in its usual form and at
/// its best, and the floors. Without flags, all contenders run the headline workloads
/// (bench/catalog/workload_table.hpp). A contender without an explanation counts as headline, so that
/// third-party contenders are shown.
bool is_headline_contender(std::string_view name);

}  // namespace loopbench::bench

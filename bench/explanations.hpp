// What `loopbench explain` says of contenders and metrics; of workloads the catalog says it. Data only.
#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct explanation {
    std::string_view name;
    std::string_view text;  // what it is and, of a metric, how it is measured and what moves it
    bool headline = true;   // of a contender: see is_headline_contender()
};

/// Every contender of this repository.
std::span<const explanation> contender_explanations();

/// Who is measured when no contender is named and no workload: `--quick` has a minute for the founding
/// designs, the flagships, Asio in its usual form and at its best, and the floors; without flags, all
/// contenders run the headline workloads (bench/catalog.hpp). What is not in the list is headline: a
/// stranger's contender is shown.
bool is_headline_contender(std::string_view name);

/// Every metric of reports/metrics.cpp.
std::span<const explanation> metric_explanations();

/// Every parameter of a workload's name: what `conns` in "conns:1000" counts.
std::span<const explanation> parameter_explanations();

/// The text of this name; empty when there is none.
std::string_view explanation_of(std::span<const explanation> all, std::string_view name);

}  // namespace loopbench::bench

#include "bench/harness/gate/gate_result.hpp"

#include <algorithm>
#include <utility>

namespace loopbench::bench {

gate_result about_session(gate_result_kind kind, std::string message) {
    return {{}, {}, "time", kind, {}, {}, std::move(message)};
}

gate_outcome outcome_of(std::span<const gate_result> results) {
    const auto any = [&](gate_result_kind kind) {
        return std::ranges::find(results, kind, &gate_result::kind) != results.end();
    };
    if (any(gate_result_kind::failed)) return gate_outcome::failed;
    if (any(gate_result_kind::regression)) return gate_outcome::regression;
    if (any(gate_result_kind::unreliable)) return gate_outcome::unreliable;
    if (results.empty() || any(gate_result_kind::unclear) || any(gate_result_kind::suspect))
        return gate_outcome::inconclusive;
    return gate_outcome::pass;
}

}  // namespace loopbench::bench

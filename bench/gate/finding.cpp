#include "bench/gate/finding.hpp"

#include <algorithm>
#include <utility>

namespace loopbench::bench {

gate_result about_session(finding_kind kind, std::string message) {
    return {{}, {}, "time", kind, {}, {}, std::move(message)};
}

gate_outcome outcome_of(std::span<const gate_result> findings) {
    const auto any = [&](finding_kind kind) {
        return std::ranges::find(findings, kind, &gate_result::kind) != findings.end();
    };
    if (any(finding_kind::failed)) return gate_outcome::failed;
    if (any(finding_kind::regression)) return gate_outcome::regression;
    if (any(finding_kind::unreliable)) return gate_outcome::unreliable;
    if (findings.empty() || any(finding_kind::unclear) || any(finding_kind::suspect))
        return gate_outcome::inconclusive;
    return gate_outcome::pass;
}

}  // namespace loopbench::bench

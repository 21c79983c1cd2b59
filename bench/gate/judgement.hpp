// What a report means for a build: findings, from the verdicts that are in it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/gate/finding.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// What outranks every comparison: cells that failed, a session that is unfit, and cells that were never
/// reached. Empty when there is none of it.
std::vector<gate_finding> judge_session(const reports::report& report);

/// Why nobody knows whether the machine is fit to measure on, and what to do; nothing where it is known.
std::optional<std::string> unknown_fitness(const reports::report& report);

/// By how many per cent one that is compared may be worse in a metric without anybody's having ruled that
/// out; nothing where nothing has to be ruled out. `headline` is what its workload is about.
///
/// Times and capacities of one build are the same to within some per cent, and `tolerated_pct` is of those.
/// How late it is, what CPU it takes to wait, and the latency of one in a hundred differ by tens of per cent
/// from trial to trial (reports/evidence/quick: sleep/serial of asio-epoll beside itself), so that no session
/// of ordinary length rules 5 % out. Of these the first one has to be known to less than twice as much; the
/// others are regressions where they are certainly worse, and ask for nothing.
std::optional<double> tolerated_in(std::string_view metric, std::span<const std::string> headline,
                                   double tolerated_pct);

/// What judge_session() says, and then, unless the session is unfit, a finding for each metric that a
/// workload is about of every cell that has a ratio or a difference to the baseline in it.
///
/// What is not worse has to rule out that it is worse by more than is tolerated with its whole interval. No
/// cell that the baseline has numbers for may be without anything that could be told, nor without the first
/// of what its workload is about and can be compared: that nothing was found is no pass unless something
/// could have been.
std::vector<gate_finding> judge_gate(const reports::report& report, double tolerated_pct);

}  // namespace loopbench::bench

// What a report says, in sentences, for whoever reads one screen of it. Each holds as far as verdicts and
// intervals do, and no further: of two whose intervals touch neither is called better, a contender whose
// difference from the baseline is inconclusive counts as level with it, and an unfit session says nothing of
// differences.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results.hpp"

namespace loopbench::reports {

enum class topic {
    caution,      // the run was cut short, or is unfit
    failed,       // contenders that did not do the work
    cost,         // who is fastest, by time per operation
    limit,        // how far that is from the fastest floor
    connections,  // whether io_uring is worth it, with the most connections
    timers,       // whose timers are most accurate and whose are latest, and what they cost
    waiting,      // who burns CPU while there is nothing to do
    certainty,    // how many comparisons could not be told
    trust         // whether the baseline differs from itself
};
constexpr auto names_of(topic) {
    return std::to_array<std::string_view>(
        {"caution", "failed", "cost", "limit", "connections", "timers", "waiting", "certainty", "trust"});
}

struct finding {
    topic about = topic::caution;
    /// What it is about in a word or three, without a colon.
    std::string_view title;
    /// What was found; it goes on after the title. Plain text. Names in it come from outside: whoever writes
    /// it escapes them. They are cut after 60 characters.
    std::string text;
    /// Where its numbers are from; they point into the report.
    std::vector<const result*> from;
};

/// In the order of the topics; a topic that the report has nothing to say of is left out.
std::vector<finding> findings_of(const report& content);

/// A contender on one workload by one metric, as a ratio to the baseline with its interval; that of the
/// baseline is 1 to itself.
struct standing {
    const result* item = nullptr;
    double ratio = 1, low = 1, high = 1;
};

/// Whether the intervals of the two touch, so that neither can be called better.
bool touch(const standing& one, const standing& other);

/// Who can be compared, without floors, the best first: all with an interval of the ratio, and the baseline.
/// Nobody where the baseline has no number: in a comparison of two reports each ratio is to its own past.
std::vector<standing> standings(const report& content, std::string_view workload, std::string_view metric);

/// Of standings, the best and all others whom nobody is certainly better than: whose interval lies above
/// theirs, and who is certainly better than the baseline, or they certainly worse.
std::vector<standing> leaders(std::span<const standing> all, std::string_view baseline);

}  // namespace loopbench::reports

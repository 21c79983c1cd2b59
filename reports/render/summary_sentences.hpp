// Summary sentences of a report, for readers of one screen. Each claims only what verdicts and intervals
// show: if two intervals touch, neither contender is called better; a contender with an inconclusive
// difference counts as level with the baseline; and an unreliable session makes no statement about
// differences.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

enum class topic {
    caution,      // the run was cut short, or is unreliable
    failed,       // contenders that did not complete the work
    cost,         // the fastest contenders, by time per operation
    limit,        // their distance from the fastest floor
    connections,  // io_uring compared with epoll, with the most connections
    timers,       // the most accurate and the latest timers, and their CPU
    waiting,      // contenders that burn CPU while there is nothing to do
    undecided,    // number of undecided comparisons
    trust         // the A/A comparison
};
constexpr auto names_of(topic) {
    return std::to_array<std::string_view>(
        {"caution", "failed", "cost", "limit", "connections", "timers", "waiting", "undecided", "trust"});
}

struct summary_sentence {
    topic about = topic::caution;
    /// The subject, in one to three words, without a colon.
    std::string_view title;
    /// The statement, which continues the title. Plain text. Names in it come from outside, so every writer
    /// must escape them. They are cut after 60 characters.
    std::string text;
    /// The results with its numbers; they point into the report.
    std::vector<const result*> from;
};

/// Returns the sentences in the order of the topics, without topics for which the report has no data.
std::vector<summary_sentence> summary_sentences_of(const report& content);

/// A contender on one workload by one metric, as a ratio to the baseline with its interval. For the baseline
/// itself, all three numbers are 1.
struct standing {
    const result* item = nullptr;
    double ratio = 1, low = 1, high = 1;
};

/// Returns whether the intervals touch, so that neither contender can be called better.
bool touch(const standing& one, const standing& other);

/// Returns the contenders that can be compared, best first and without floors: the baseline, and all with an
/// interval of the ratio. Empty if the baseline has no number: in a comparison of two reports, each ratio
/// refers to its own old value.
std::vector<standing> standings(const report& content, std::string_view workload, std::string_view metric);

/// Returns the best of the standings and all others that are not significantly worse than any contender. One
/// contender is significantly worse than another if its interval lies below the other's and, in addition, the
/// verdicts against the baseline confirm it: the other one is faster, or this one is slower.
std::vector<standing> leaders(std::span<const standing> all, std::string_view baseline);

}  // namespace loopbench::reports

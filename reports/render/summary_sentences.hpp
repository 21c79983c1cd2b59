// Summary sentences of a report, for a reader who looks at one screen. A sentence claims only what verdicts
// and intervals show. If the intervals of two contenders touch, neither is called better. If a contender's
// verdict is inconclusive, it counts as level with the baseline. If the session is unreliable, no sentence
// claims a difference.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

enum class topic {
    caution,      // the run ended early, or is unreliable
    failed,       // contenders that did not complete the work
    cost,         // the fastest contenders, by time per operation
    limit,        // the distance of the fastest contenders from the fastest floor
    connections,  // io_uring compared with epoll, on the workload with the most connections
    timers,       // the most accurate timers, the latest timers, and their CPU time
    waiting,      // contenders that burn CPU while there is nothing to do
    undecided,    // the number of undecided comparisons
    trust         // the A/A comparison
};
constexpr auto names_of(topic) {
    return std::to_array<std::string_view>(
        {"caution", "failed", "cost", "limit", "connections", "timers", "waiting", "undecided", "trust"});
}

struct summary_sentence {
    topic about = topic::caution;
    /// The subject, one to three words without a colon.
    std::string_view title;
    /// The statement, which continues the title, as plain text. Names in the statement are cut after 60
    /// characters. Every writer must escape the text, because names can contain any characters.
    std::string text;
    /// The results that the sentence quotes. The pointers point into the report.
    std::vector<const result*> from;
};

/// Returns the sentences in the order of the topics. Leaves out topics for which the report has no data.
std::vector<summary_sentence> summary_sentences_of(const report& content);

/// The ratio of a contender to the baseline, with its interval, for one workload and one metric. For the
/// baseline itself, all three numbers are 1.
struct standing {
    const result* item = nullptr;
    double ratio = 1, low = 1, high = 1;
};

/// Returns true if the intervals of the two contenders touch. Neither contender can then be called better.
bool touch(const standing& one, const standing& other);

/// Returns the contenders that can be compared, the best one first: the baseline, and all contenders whose
/// ratio has an interval. Leaves out floors. Returns an empty list if the baseline has no number. In a
/// comparison of two reports, this is always so, because each ratio is relative to the contender's own old
/// value.
std::vector<standing> standings(const report& content, std::string_view workload, std::string_view metric);

/// Returns the best contender, and all others that are not significantly worse than any contender. A
/// contender is significantly worse than another one if its interval lies below the other interval, and if in
/// addition the verdicts against the baseline confirm this: the other contender is `faster`, or this one is
/// `slower`.
std::vector<standing> leaders(std::span<const standing> all, std::string_view baseline);

}  // namespace loopbench::reports

// The summary sentences of a report. A sentence claims only what verdicts and intervals show: if the
// intervals of two contenders touch, neither contender is called better. If the session is unreliable, no
// sentence claims a difference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model/results.hpp"
#include "reports/render/leads.hpp"

namespace loopbench::reports {

enum class topic {
    caution,  // the run ended early, or the session is unreliable
    failed,
    cost,
    limit,        // the distance of the fastest contenders from the fastest floor
    connections,  // io_uring compared with epoll, on the workload with the most connections
    threads,      // the greatest loss and the greatest gain with more threads
    timers,       // the timers with the least and with the greatest lateness, and their CPU time
    waiting,
    undecided,
    loops,  // the loops of swapped Asio programs
    trust
};
constexpr auto names_of(topic) {
    return std::to_array<std::string_view>({"caution", "failed", "cost", "limit", "connections", "threads",
                                            "timers", "waiting", "undecided", "loops", "trust"});
}

struct summary_sentence {
    topic about = topic::caution;
    /// A title of one to three words, without a colon.
    std::string_view title;
    /// The plain text that continues the title, with names cut after 60 characters. Every writer must escape
    /// it, because names can contain any characters.
    std::string text;
    /// The results that the sentence quotes, as pointers into the report.
    std::vector<const result*> from;
};

std::vector<summary_sentence> summary_sentences_of(const report& content);

/// Returns for example "up to 0.8 % apart (yield, not significant)".
std::string largest_deviation(const self_check& aa);

}  // namespace loopbench::reports

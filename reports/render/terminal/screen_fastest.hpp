#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/render/leads.hpp"

namespace loopbench::reports {

/// Returns true if loops only schedule their own work in this workload. The screen combines such workloads
/// under the title "scheduling".
bool is_scheduling(std::string_view workload);

struct fastest {
    std::string kind;  // for example "echo" or "scheduling"
    std::string text;
};

/// Returns, for each kind of workload whose primary metrics include time, the leaders and their ratios to the
/// baseline. Returns an empty list if the session is unreliable or incomplete.
std::vector<fastest> fastest_of(const indexed_report& in);

/// Returns for example "Boost 1.81" for asio-epoll, or an empty text if the report names no version of the
/// contender's library.
std::string version_of(const report& content, std::string_view name);

/// Returns the word of trust_in() in capital letters, with the reasons or with the number of blocks.
std::string trust_text(const report& content);

/// Returns true if the screen need not show the warning: trust_text() already contains it, or the user can
/// ignore it.
bool is_left_to_tables(const warning& item);

}  // namespace loopbench::reports

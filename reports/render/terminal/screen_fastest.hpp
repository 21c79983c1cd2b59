#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/render/leads.hpp"

namespace loopbench::reports {

/// Returns true if a loop only schedules its own work. The screen shows such workloads as one range.
bool is_scheduling(std::string_view workload);

struct fastest {
    std::string kind;  // for example "echo" or "scheduling"
    std::string text;
};

/// Returns, for each kind of workload whose primary metrics include time, the leaders and their ratios to the
/// baseline. Returns an empty list if the session is unreliable or incomplete.
std::vector<fastest> fastest_of(const indexed_report& in);

/// Returns the word of trust_in() in capital letters, with the reasons or with the number of blocks.
std::string trust_text(const report& content);

/// Returns true if trust_text() contains the warning, or if it needs no action.
bool is_left_to_tables(const warning& item);

}  // namespace loopbench::reports

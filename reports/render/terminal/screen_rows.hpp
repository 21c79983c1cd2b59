// The rows of the screen's tables. Contenders share a row if a reader need not distinguish between them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/render/leads.hpp"

namespace loopbench::reports {

enum class row_kind { contenders, floor, drivers };

struct screen_row {
    row_kind kind = row_kind::contenders;
    names members;  // only for rows of contenders
};

/// Returns the contenders that have a failed result, or a number for one of the metrics, the baseline first.
/// Leaves out the floors.
names contenders_with_numbers(const indexed_report& in, std::span<const std::string_view> workloads,
                              std::span<const std::string_view> metrics);

enum class share {
    select_loops,     // only select loops share a row, if their values differ by less than a quarter
    everything_level  // other contenders also share a row, if no metric shows a significant difference
};

std::vector<screen_row> rows_of(const indexed_report& in, std::span<const std::string_view> workloads,
                                std::span<const std::string_view> metrics, share who);

/// Returns for example "asio-*, loop-epoll, -uring", "asio-epoll and 2 more" or "select loops". `all`
/// contains the contenders of the table.
std::string label_of(const indexed_report& in, const names& members, const names& all);

bool names_all(const names& members, const names& all);

bool are_select_loops(const indexed_report& in, const names& members);

/// Returns for example "loop-asyncio, -layered, -scheduler".
std::string short_list(const names& members);

}  // namespace loopbench::reports

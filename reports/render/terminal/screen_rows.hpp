// The rows of the screen's tables. Contenders share a row if the reader need not distinguish between them.
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
    names members;  // empty for rows of the other kinds
};

/// Returns the contenders that have a number for one of the metrics on one of the workloads, the baseline
/// first. Leaves out the floors.
names contenders_with_numbers(const indexed_report& in, std::span<const std::string_view> workloads,
                              std::span<const std::string_view> metrics);

/// The contenders that can share a row.
enum class share {
    select_loops,     // loops over select whose values differ by less than a quarter
    everything_level  // also other contenders, if no metric shows a significant difference between them
};

/// Returns a row for each group of contenders that can share it.
std::vector<screen_row> rows_of(const indexed_report& in, std::span<const std::string_view> workloads,
                                std::span<const std::string_view> metrics, share who);

/// Returns a label like "asio-*, loop-epoll, -uring", "asio-epoll and 2 more" or "select loops". `all`
/// contains the contenders of the table.
std::string label_of(const indexed_report& in, const names& members, const names& all);

/// Returns true if label_of() names all members, and does not only count them.
bool names_all(const names& members, const names& all);

/// Returns true if the label of these contenders is "select loops".
bool are_select_loops(const indexed_report& in, const names& members);

/// Returns the names without repeated prefixes: "loop-asyncio, -layered, -scheduler".
std::string short_list(const names& members);

}  // namespace loopbench::reports

// The formats of the files that loopbench writes. docs/formats.md explains when the number in a format's name
// increases.
#pragma once

#include <string_view>

namespace loopbench::reports {

struct file_format {
    std::string_view schema;  // NAME/NUMBER, the value of the file's field "schema"
    std::string_view remedy;  // the advice for a file whose format has a lower number
};

inline constexpr file_format report_format{"loopbench-report/2", "measure again with `loopbench run`"};
inline constexpr file_format journal_format{"loopbench-journal/2", "start a new run with `loopbench run`"};
inline constexpr file_format histograms_format{"loopbench-histograms/1",
                                               "measure again with `loopbench run`"};
inline constexpr file_format counts_format{"loopbench-counts/1", "count again with `loopbench run --counts`"};
inline constexpr file_format calibration_format{"loopbench-calibration/2", "run `loopbench calibrate` again"};
inline constexpr file_format check_format{"loopbench-check/1", "run `loopbench check` again"};
inline constexpr file_format baseline_format{
    "loopbench-baseline/2", "move it away and write it again with `loopbench check --update`"};
/// The format of a history. Its number must also increase if the number of the report's format increases,
/// because a history contains reports.
inline constexpr file_format history_format{"loopbench-history/2", "start another history with --history"};
inline constexpr file_format steps_format{"loopbench-steps/1",
                                          "begin a new bisection with `loopbench bisect`"};
inline constexpr file_format bisect_format{"loopbench-bisect/1", "run `loopbench bisect` again"};
inline constexpr file_format histogram_file_format{"loopbench-histogram-file/1", "build its contender again"};
inline constexpr file_format generator_format{"loopbench-generator/1", "build both from the same sources"};

inline constexpr std::string_view first_report_schema = "loopbench/1";

}  // namespace loopbench::reports

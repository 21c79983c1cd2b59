#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/base/json_node.hpp"
#include "reports/model/results.hpp"

namespace loopbench::reports {

nlohmann::ordered_json to_json(const calibration& found);

/// Reads a calibration from JSON. Throws format_error.
calibration read_calibration(const node& from);

/// Returns two sentences: the rate of false alarms, and how often each slowdown was detected.
std::string calibration_text(const calibration& found);

std::string calibration_table(const calibration& found);

}  // namespace loopbench::reports

// The parts of the page that show the causes of slowdowns. They need no script.
#pragma once

#include <string>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Returns a list with a sentence for each cause, or "" if the report has no causes.
std::string list_of_causes(const report& content);

/// Returns the section with the profiles, or "" if the report has none.
std::string section_of_profiles(const report& content);

}  // namespace loopbench::reports

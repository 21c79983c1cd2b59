// A flame graph shows the stacks of a profile: each function is a box above its caller, and the width of the
// box is the time of the function together with the functions that it calls (B. Gregg, "The Flame Graph",
// Communications of the ACM 59(6), 2016). A differential flame graph also shows, in colours, which functions
// became slower.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/causes.hpp"

namespace loopbench::reports {

/// Returns an SVG element that needs no script. The widths are times of the new build. The class of each box
/// tells how the time of the function's own code changed: `grew-1` to `grew-3` or `shrank-1` to `shrank-3`
/// (page.css). `id` must be unique in the page. Returns "" if the new build has no stacks.
std::string flame_graph(const profile& of, std::string_view id, std::string_view title);

}  // namespace loopbench::reports

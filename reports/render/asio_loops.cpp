#include "reports/render/asio_loops.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace loopbench::reports {

std::string asio_loops_text(const report& content) {
    std::vector<std::string> parts;
    for (const auto& who : content.contenders) {
        if (!who.asio) continue;
        const auto& loops = who.asio->loops;
        if (!loops.empty())
            parts.push_back(fmt::format("{} ran on loopbench's {} {}", who.name, fmt::join(loops, " and "),
                                        loops.size() == 1 ? "loop" : "loops"));
        if (who.asio->failure)
            parts.push_back(fmt::format("{} could not create a loop ({})", who.name, *who.asio->failure));
    }
    return parts.empty() ? std::string{} : fmt::format("{}.", fmt::join(parts, "; "));
}

}  // namespace loopbench::reports

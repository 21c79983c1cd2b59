// The formats in which a report can be written. CMakeLists.txt lists their names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

struct format {
    std::string_view name;
    std::string (*write)(const report&);
};

std::span<const format> known_formats();

const format* find_format(std::string_view name);

}  // namespace loopbench::reports

// The format with every table and every warning as plain text.
#include <fmt/format.h>

#include <string>

#include "reports/render/columns.hpp"
#include "reports/render/formats/formats.hpp"
#include "reports/render/terminal/text_table.hpp"

namespace loopbench::reports {

std::string write_text(const report& content) {
    auto text = write_table(content);
    for (const auto& item : content.warnings)
        text += "\n" + printable(fmt::format("warning: {}; {}", item.message, item.remedy)) + "\n";
    return text;
}

}  // namespace loopbench::reports

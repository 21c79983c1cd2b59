// A report format that tests/package/extend.py adds to a copy of the sources.
#include <fmt/format.h>

#include "reports/render/formats/formats.hpp"

namespace loopbench::reports {

std::string write_haiku(const report& content) {
    const auto* const found = find_result(content, "answer", "other", "answers");
    return fmt::format("the answer is {}\n", found != nullptr ? found->median.value_or(0) : 0);
}

}  // namespace loopbench::reports

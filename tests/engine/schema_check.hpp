// Whether a document is what reports/report.schema.json describes.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace loopbench::tests {

bool fits_the_schema(const nlohmann::json& document);

}  // namespace loopbench::tests

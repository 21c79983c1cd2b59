// Whether a document is what a JSON Schema file describes.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace loopbench::tests {

bool fits(const nlohmann::json& document, const char* schema_file);

/// The same with reports/report.schema.json.
bool fits_the_schema(const nlohmann::json& document);

}  // namespace loopbench::tests

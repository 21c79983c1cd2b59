// Checks JSON documents against JSON Schema files.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace loopbench::tests {

bool fits(const nlohmann::json& document, const char* schema_file);

/// Returns true if the document fits reports/model/report.schema.json.
bool fits_the_schema(const nlohmann::json& document);

}  // namespace loopbench::tests

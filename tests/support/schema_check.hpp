#pragma once

#include <nlohmann/json_fwd.hpp>

namespace loopbench::tests {

bool fits(const nlohmann::json& document, const char* schema_file);

bool fits_the_schema(const nlohmann::json& document);

}  // namespace loopbench::tests

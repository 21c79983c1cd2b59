#include "tests/support/schema_check.hpp"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

bool fits_the_schema(const nlohmann::json& document) {
    return fits(document, LOOPBENCH_SCHEMA);
}

bool fits(const nlohmann::json& document, const char* schema_file) {
    const auto description = nlohmann::json::parse(content_of(schema_file));
    const valijson::adapters::NlohmannJsonAdapter described{description}, checked{document};
    valijson::Schema schema;
    valijson::SchemaParser parser{valijson::SchemaParser::kDraft7};
    parser.populateSchema(described, schema);
    valijson::Validator validator;
    return validator.validate(schema, checked, nullptr);
}

}  // namespace loopbench::tests

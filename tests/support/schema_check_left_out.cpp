// Replaces schema_check.cpp in a build without valijson. Tests then check everything except the schema.
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

bool fits(const nlohmann::json&, const char*) {
    return true;
}

bool fits_the_schema(const nlohmann::json&) {
    return true;
}

}  // namespace loopbench::tests

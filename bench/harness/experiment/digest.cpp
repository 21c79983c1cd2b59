#include "bench/harness/experiment/digest.hpp"

#include <uuid.h>

namespace loopbench::bench {

std::string digest(const char* space, std::string_view content) {
    uuid_t names, made;
    char text[UUID_STR_LEN];
    uuid_parse(space, names);
    uuid_generate_sha1(made, names, content.data(), content.size());
    uuid_unparse_lower(made, text);
    return text;
}

}  // namespace loopbench::bench

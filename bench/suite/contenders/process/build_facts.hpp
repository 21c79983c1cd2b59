// The workloads are templates that are compiled in the file with the contender's main function. Therefore the
// compiler flags of this file matter, not those of the library to which it is linked.
#pragma once

#include <string>

namespace loopbench::bench {

struct build_facts {
    std::string compiler;
    std::string flags;
    std::string type;
    bool optimised = false;
    bool assertions = false;
};

/// This function is static, because every file needs its own copy. The target loopbench::contender defines
/// the macros.
[[maybe_unused]] static build_facts this_build() {
    build_facts facts{
        .compiler = LOOPBENCH_COMPILER, .flags = LOOPBENCH_COMPILER_FLAGS, .type = LOOPBENCH_BUILD_TYPE};
    if (facts.type.empty()) facts.type = "no build type";
#ifdef __OPTIMIZE__
    facts.optimised = true;
#endif
#ifndef NDEBUG
    facts.assertions = true;
#endif
    return facts;
}

}  // namespace loopbench::bench

// How a contender's own code was compiled. The workloads are templates, so the file with the contender's main
// function counts, not the library that it is linked to: a contender from outside this tree may have been
// compiled in any way.
#pragma once

#include <string>

namespace loopbench::bench {

struct build_facts {
    std::string compiler;
    std::string flags;
    std::string type;  // CMake's name: Release, Debug, ...
    bool optimised = false;
    bool assertions = false;
};

/// Returns the facts of the file that calls it; therefore every file has its own function. The texts come
/// from the target loopbench::contender.
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

// How a contender's own code was compiled. The workloads are templates, so what counts is the file that has
// the contender's main function, not the library that it is linked to: a contender from outside of this tree
// may have been compiled in any way.
#pragma once

#include <string>

namespace loopbench::bench {

struct build_facts {
    std::string compiler;
    std::string flags;
    std::string type;  // CMake's name for it: Release, Debug, ...
    bool optimised = false;
    bool assertions = false;
};

/// Of the file that calls it; therefore a function of its own in every file. The texts come from the target
/// loopbench::contender.
[[maybe_unused]] static build_facts this_build() {
    build_facts facts{
        .compiler = LOOPBENCH_COMPILER, .flags = LOOPBENCH_COMPILER_FLAGS, .type = LOOPBENCH_BUILD_TYPE};
    if (facts.type.empty()) facts.type = "without a type";
#ifdef __OPTIMIZE__
    facts.optimised = true;
#endif
#ifndef NDEBUG
    facts.assertions = true;
#endif
    return facts;
}

}  // namespace loopbench::bench

// The compiler and the flags of a contender. The workloads are templates, so they are compiled in the file
// that contains the contender's main function. The flags of that file matter, and not the flags of the
// libraries to which it is linked.
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

/// Returns the compiler and the flags of the file that includes this header. The function is static, so that
/// each file has its own copy with its own flags. The target loopbench::contender defines the macros that the
/// function reads.
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

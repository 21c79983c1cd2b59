#pragma once

#include "bench/suite/peers/ev_runtime.hpp"
#include "bench/suite/peers/uv_runtime.hpp"
#include "tests/conformance/contestant.hpp"

namespace loopbench::conformance {

template <class Use>
void for_each_contestant(Use use) {
    use(contestant_of<bench::peers::ev_runtime>());
    use(contestant_of<bench::peers::uv_runtime>());
}

}  // namespace loopbench::conformance

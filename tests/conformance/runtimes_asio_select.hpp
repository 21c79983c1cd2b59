#pragma once

#include "asio_ref/select_runtime.hpp"
#include "tests/conformance/contestant.hpp"

namespace loopbench::conformance {

template <class Use>
void for_each_contestant(Use use) {
    use(contestant_of<asio_ref::select_runtime>());
}

}  // namespace loopbench::conformance

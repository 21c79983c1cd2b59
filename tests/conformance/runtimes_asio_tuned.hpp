#pragma once

#include "asio_ref/tuned/runtime.hpp"
#include "tests/conformance/contestant.hpp"

namespace loopbench::conformance {

template <class Use>
void for_each_contestant(Use use) {
    use(contestant_of<asio_ref::tuned::runtime>());
}

}  // namespace loopbench::conformance

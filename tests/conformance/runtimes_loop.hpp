#pragma once

#include "asio_ref/runtime.hpp"
#include "loop/coro/event.hpp"
#include "loop/designs.hpp"
#include "loop/net/pipe.hpp"
#include "loop/net/stream.hpp"
#include "tests/conformance/contestant.hpp"
#include "tests/loop/manual_clock.hpp"

namespace loopbench::conformance {

template <class Use>
void for_each_contestant(Use use) {
    // A clock that ticks every 1 ms. With loop-tick's own tick of 100 ms, the tests would take minutes.
    static loop::test::counting_clock fast_ticks;
    use(contestant_of<asio_ref::runtime>());
    for (const loop::design& each : loop::designs()) {
        loop::clock* const other_clock = each.name == "loop-tick" ? &fast_ticks : nullptr;
        use(contestant<loop::event_loop>{each.name,
                                         [&each, other_clock] { return each.make(each, other_clock); }});
    }
}

}  // namespace loopbench::conformance

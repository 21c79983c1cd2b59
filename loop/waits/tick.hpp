// Ticking: look, run, sleep a fixed time, whatever is due meanwhile. The wait policy of document 000.
#pragma once

#include <chrono>

#include "loop/drivers/driver.hpp"

namespace loopbench::loop {

/// Asks without waiting, once a tick. Cheap in CPU, and everything is late by up to a tick: it is the sleep,
/// not the event, that decides when the loop runs. The sleep comes after the callbacks in the document; here
/// it comes before the next turn's wait, which is the same moment.
template <int TickMilliseconds>
struct basic_tick_wait {
    static constexpr std::chrono::milliseconds tick{TickMilliseconds};

    template <class Loop>
    void operator()(Loop& loop) {
        if (!first_turn_) loop.clock().sleep_for(tick);
        first_turn_ = false;
        loop.driver().wait(do_not_wait);
    }

private:
    bool first_turn_ = true;
};

/// The document's tick.
using tick_wait = basic_tick_wait<100>;

}  // namespace loopbench::loop

// The wait policy of every serious loop: sleep in the kernel until there is something to do.
#pragma once

#include "loop/drivers/driver.hpp"

namespace loopbench::loop {

/// Sleeps until I/O, a post or the next deadline; with work in the queue it only looks whether there is more.
struct block_wait {
    template <class Loop>
    void operator()(Loop& loop) {
        if (!loop.has_ready()) {
            loop.sleep_until_event(loop.next_deadline());
        } else if (loop.driver().in_flight() != 0) {
            loop.driver().wait(do_not_wait);
        }
    }
};

}  // namespace loopbench::loop

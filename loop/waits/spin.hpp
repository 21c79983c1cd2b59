// Busy waiting: the wait policy of every first tutorial.
#pragma once

#include "loop/drivers/driver.hpp"

namespace loopbench::loop {

/// Asks and never sleeps: a whole core, whether or not anything happens, for a loop that notices at once.
struct spin_wait {
    template <class Loop>
    void operator()(Loop& loop) {
        loop.driver().wait(do_not_wait);
    }
};

}  // namespace loopbench::loop

// How long a program takes if a second thread runs its context, too.
#pragma once

#include <boost/asio/io_context.hpp>
#include <thread>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace clinic {

/// Runs the context in this many threads until it has no more work. Returns the elapsed time in seconds.
inline double seconds_to_run(boost::asio::io_context& context, int threads) {
    return seconds_of([&] {
        std::vector<std::jthread> others;
        for (int i = 1; i < threads; ++i) others.emplace_back([&] { context.run(); });
        context.run();
    });
}

/// Compares the time with two threads with the time with one. `seconds_with(N)` measures N threads.
template <class Function>
verdict compared_with_one_thread(Function seconds_with) {
    seconds_with(1);  // the first run fills the caches
    return measured(quotients([&] { return seconds_with(2); }, [&] { return seconds_with(1); }),
                    "times the time with one thread");
}

}  // namespace clinic

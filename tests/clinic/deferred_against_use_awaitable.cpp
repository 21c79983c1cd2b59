// How long does a round trip with `deferred` take, compared with `use_awaitable`?
// https://github.com/boostorg/redis/issues/30
#include <boost/asio/deferred.hpp>

#include "tests/clinic/round_trips.hpp"

int main() {
    return clinic::judge([] {
        return clinic::measured(
            clinic::quotients([] { return clinic::seconds_with_coroutines(boost::asio::deferred); },
                              [] { return clinic::seconds_with_coroutines(boost::asio::use_awaitable); }),
            "times the time of use_awaitable");
    });
}

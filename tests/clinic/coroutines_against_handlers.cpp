// How long does a round trip with coroutines take, compared with handlers?
// https://github.com/chriskohlhoff/asio/issues/1186
#include "tests/clinic/round_trips.hpp"

int main() {
    return clinic::judge([] {
        return clinic::measured(
            clinic::quotients([] { return clinic::seconds_with_coroutines(boost::asio::use_awaitable); },
                              [] { return clinic::seconds_with_handlers(); }),
            "times the time of handlers");
    });
}

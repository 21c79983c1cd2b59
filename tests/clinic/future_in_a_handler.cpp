// With two threads in `run()`, a handler can wait for a future that another handler fulfils.
// https://www.boost.org/doc/libs/1_81_0/doc/html/boost_asio/overview/core/threads.html
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>

#include "tests/clinic/clinic.hpp"

namespace {

clinic::verdict check() {
    boost::asio::io_context context;
    std::promise<void> promise;
    bool is_fulfilled = false;
    boost::asio::post(context, [&] {
        is_fulfilled =
            promise.get_future().wait_for(clinic::patience_of_a_handler) == std::future_status::ready;
    });
    boost::asio::post(context, [&] { promise.set_value(); });
    {
        const std::jthread other([&] { context.run(); });
        context.run();
    }
    if (is_fulfilled) return clinic::right();
    return clinic::wrong("the second handler did not run within %d s, while the first one waited",
                         static_cast<int>(clinic::patience_of_a_handler.count()));
}

}  // namespace

int main() {
    return clinic::judge(check);
}

// `cancellation_signal::emit` in another thread cancels a timer and a read that are pending.
// https://github.com/chriskohlhoff/asio/issues/1029
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <memory>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

namespace net = boost::asio;
using boost::system::error_code;

/// Starts an operation in the thread that runs the context, cancels it in this thread, and returns its
/// result.
template <class Start>
error_code result_of_cancelled(net::io_context& context, Start start) {
    net::cancellation_signal signal;
    const auto started = std::make_shared<std::promise<void>>();
    const auto ended = std::make_shared<std::promise<error_code>>();
    net::post(context, [&] {
        const auto handler = [ended](error_code error, auto...) { ended->set_value(error); };
        start(net::bind_cancellation_slot(signal.slot(), handler));
        started->set_value();
    });
    started->get_future().wait();
    signal.emit(net::cancellation_type::terminal);
    return ended->get_future().get();
}

clinic::verdict check() {
    net::io_context context;
    auto [silent, peer] = clinic::connection(context);
    net::steady_timer timer(context);
    auto work = net::make_work_guard(context);
    const std::jthread runner([&] { context.run(); });
    char byte = ' ';
    error_code of_timer = net::error::operation_aborted, of_read = of_timer;
    for (int i = 0; i < 2000 && of_timer == net::error::operation_aborted && of_read == of_timer; ++i) {
        of_timer = result_of_cancelled(context, [&](auto handler) {
            timer.expires_after(std::chrono::hours(1));
            timer.async_wait(std::move(handler));
        });
        of_read = result_of_cancelled(
            context, [&](auto handler) { silent.async_receive(net::buffer(&byte, 1), std::move(handler)); });
        clinic::passed();
    }
    work.reset();
    if (of_timer == net::error::operation_aborted && of_read == of_timer) return clinic::right();
    return clinic::wrong("the timer ended with: %s; the read with: %s", of_timer.message().c_str(),
                         of_read.message().c_str());
}

}  // namespace

int main() {
    return clinic::judge(check);
}

// Timers fire once each although `run_one_for` is called from frames of different depths.
// https://github.com/chriskohlhoff/asio/issues/1284
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <functional>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

constexpr int rounds = 5000;

/// Calls run_one_for() in a frame that is `depth` calls deeper.
[[gnu::noinline]] void run_one_deeper(boost::asio::io_context& context, int depth) {
    volatile char frame[64] = {};
    depth == 0 ? static_cast<void>(context.run_one_for(200us)) : run_one_deeper(context, depth - 1);
    static_cast<void>(frame[0]);
}

clinic::verdict check() {
    boost::asio::io_context context;
    auto [reader, writer] = clinic::connection(context);
    boost::asio::steady_timer timer(context);
    int started = 0, fired = 0, cancelled = 0, bytes = 0;
    char byte = ' ';
    std::function<void()> read = [&] {
        reader.async_receive(boost::asio::buffer(&byte, 1), [&](error_code error, std::size_t count) {
            bytes += static_cast<int>(count);
            if (!error) read();
        });
    };
    read();
    for (int i = 0; i < rounds; ++i) {
        timer.expires_after(i % 3 == 0 ? 1h : 20us * (i % 7));
        ++started;
        timer.async_wait([&](error_code error) { ++(error ? cancelled : fired); });
        context.poll();  // runs the handler of the cancelled wait, so that the next run has to wait
        if (i % 2 == 0) boost::asio::write(writer, boost::asio::buffer("x", 1));
        run_one_deeper(context, i % 16);
        clinic::passed();
    }
    timer.cancel();
    writer.close();
    context.restart();
    context.run();
    if (fired + cancelled == started && fired > 0 && bytes == rounds / 2) return clinic::right();
    return clinic::wrong("of %d timers, %d fired and %d were cancelled; %d of %d bytes arrived", started,
                         fired, cancelled, bytes, rounds / 2);
}

}  // namespace

int main() {
    return clinic::judge(check);
}

// How much of a core does an idle context report as waiting for I/O (iowait)?
// https://github.com/chriskohlhoff/asio/pull/1754 https://github.com/axboe/liburing/issues/943
#include <boost/asio/steady_timer.hpp>
#include <fstream>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

/// Returns the time that all cores have waited for I/O so far, in seconds (/proc/stat).
double iowait_seconds() {
    std::ifstream stat("/proc/stat");
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0;
    stat >> name >> user >> nice >> system >> idle >> iowait;
    return iowait / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

clinic::verdict check() {
    boost::asio::io_context context(1);
    auto [silent, peer] = clinic::connection(context);
    char byte = ' ';
    int ended = 0;
    silent.async_receive(boost::asio::buffer(&byte, 1),
                         [&](boost::system::error_code, std::size_t) { ++ended; });
    boost::asio::steady_timer timer(context, std::chrono::seconds(2));
    timer.async_wait([&](boost::system::error_code) {
        ++ended;
        silent.close();
    });
    const double before = iowait_seconds();
    const double seconds = clinic::seconds_of([&] { context.run(); });
    if (ended != 2) return clinic::wrong("%d of 2 operations ended", ended);
    return clinic::measured(100 * (iowait_seconds() - before) / seconds, "% of a core");
}

}  // namespace

int main() {
    return clinic::judge(check);
}

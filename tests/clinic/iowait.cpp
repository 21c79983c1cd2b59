// How much of a core does an idle context report as waiting for I/O (iowait)?
// https://github.com/chriskohlhoff/asio/pull/1754 https://github.com/axboe/liburing/issues/943
#include <boost/asio/steady_timer.hpp>
#include <fstream>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

/// The time that all cores have spent so far, in seconds (/proc/stat).
struct core_time {
    double busy = 0;
    double iowait = 0;
};

core_time time_so_far() {
    std::ifstream stat("/proc/stat");
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, interrupts = 0, soft = 0;
    stat >> name >> user >> nice >> system >> idle >> iowait >> interrupts >> soft;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    return {(user + nice + system + interrupts + soft) / ticks, iowait / ticks};
}

/// Returns the time that the cores spend while the function runs, in per cent of one core.
template <class Function>
core_time percent_during(Function&& function) {
    const core_time before = time_so_far();
    const double seconds = clinic::seconds_of(function);
    const core_time after = time_so_far();
    return {100 * (after.busy - before.busy) / seconds, 100 * (after.iowait - before.iowait) / seconds};
}

clinic::verdict check() {
    constexpr std::chrono::seconds time{2};
    const core_time others = percent_during([&] { std::this_thread::sleep_for(time); });
    if (others.iowait > 5 || others.busy > 20)  // I/O wait counts only on a core that is otherwise idle
        return clinic::unavailable("other programs use the cores or wait for I/O");
    boost::asio::io_context context(1);
    auto [silent, peer] = clinic::connection(context);
    char byte = ' ';
    int ended = 0;
    silent.async_receive(boost::asio::buffer(&byte, 1),
                         [&](boost::system::error_code, std::size_t) { ++ended; });
    boost::asio::steady_timer timer(context, time);
    timer.async_wait([&](boost::system::error_code) {
        ++ended;
        silent.close();
    });
    const core_time found = percent_during([&] { context.run(); });
    if (ended != 2) return clinic::wrong("%d of 2 operations ended", ended);
    return clinic::measured(found.iowait, "% of a core");
}

}  // namespace

int main() {
    return clinic::judge(check);
}

#include "bench/harness/cli/session/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "bench/harness/cli/session/time_left.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::bench {

namespace {

constexpr std::string_view erase_line = "\r\x1b[K";

std::size_t terminal_columns() {
    winsize size{};
    constexpr std::size_t usual = 80;
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

std::string bar(std::uint64_t done, std::uint64_t total) {
    constexpr std::uint64_t cells = 20;
    const auto filled = static_cast<std::size_t>(total > 0 ? cells * done / total : 0);
    return std::string(filled, '#') + std::string(cells - filled, '.');
}

std::string left_text(const std::optional<elapsed_time>& left) {
    return left ? fmt::format(", {} left", countdown(*left)) : "";
}

}  // namespace

progress::progress(std::optional<std::chrono::nanoseconds> budget, std::chrono::nanoseconds log_pause)
    : terminal_{is_terminal(STDERR_FILENO)},
      budget_{budget},
      pause_{terminal_ ? std::chrono::milliseconds(100) : log_pause} {
    if (!terminal_) shown_ = started_;
}

progress::~progress() {
    if (terminal_ && shown_) tell_raw(erase_line);
}

void progress::show(std::string_view workload, std::string_view contender, std::uint64_t done,
                    std::uint64_t total, const std::optional<ratio_so_far>& ratio) {
    const auto now = steady_clock::now();
    if (shown_ && now - *shown_ < pause_) return;
    shown_ = now;
    const auto left = left_text(time_left(now - started_, done, total, budget_));
    if (!terminal_) {
        tell("loopbench: {} of {} trials done{}\n", done, total, left);
        return;
    }
    const auto front = fmt::format("[{}] {}/{}{}: ", bar(done, total), done, total, left);
    auto back = reports::printable(fmt::format(" on {}", contender));
    if (ratio) back += fmt::format(", {} {} so far", ratio->metric, reports::three_digits(ratio->ratio));
    constexpr std::size_t least_of_a_name = 8;
    const auto columns = terminal_columns() - 1, others = reports::width_of(front) + reports::width_of(back);
    const auto room = std::max(columns - std::min(columns, others), least_of_a_name);
    tell_raw(erase_line);
    tell_raw(reports::clipped(front + reports::clipped(reports::printable(workload), room) + back, columns));
}

}  // namespace loopbench::bench

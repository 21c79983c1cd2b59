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

/// Replaces the progress bar on the terminal. If the terminal is too narrow, shortens `name` first, and then
/// the whole line.
void draw(std::string_view front, std::string_view name, std::string_view back) {
    constexpr std::size_t least_of_a_name = 8;
    const auto end = reports::printable(back);
    const auto columns = terminal_columns() - 1, others = reports::width_of(front) + reports::width_of(end);
    const auto room = std::max(columns - std::min(columns, others), least_of_a_name);
    tell_raw(erase_line);
    tell_raw(reports::clipped(std::string{front} + reports::clipped(reports::printable(name), room) + end,
                              columns));
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

bool progress::is_due() {
    const auto now = steady_clock::now();
    if (shown_ && now - *shown_ < pause_) return false;
    shown_ = now;
    return true;
}

std::string progress::left(std::uint64_t done, std::uint64_t total) const {
    return left_text(time_left(steady_clock::now() - started_, done, total, budget_));
}

void progress::show(std::string_view workload, std::string_view contender, std::uint64_t done,
                    std::uint64_t total, const std::optional<ratio_so_far>& ratio) {
    if (!is_due()) return;
    if (!terminal_) {
        tell("loopbench: {} of {} trials done{}\n", done, total, left(done, total));
        return;
    }
    auto back = fmt::format(" on {}", contender);
    if (ratio) back += fmt::format(", {} {}× so far", ratio->metric, reports::three_digits(ratio->ratio));
    draw(fmt::format("[{}] {}/{}{}: ", bar(done, total), done, total, left(done, total)), workload, back);
}

void progress::show_pairing(std::string_view workload, std::uint64_t done, std::uint64_t total) {
    if (!is_due()) return;
    if (!terminal_) {
        tell("loopbench: the pairing of {} of {} benchmarks is chosen{}\n", done, total, left(done, total));
        return;
    }
    draw(fmt::format("[{}] {}/{}{}: choosing the pairing of ", bar(done, total), done, total,
                     left(done, total)),
         workload, "");
}

void progress::show_cause(std::string_view workload, std::uint64_t done, std::uint64_t total) {
    if (!is_due()) return;
    if (!terminal_) {
        tell("loopbench: searched the causes of {} of {} slowdowns{}\n", done, total, left(done, total));
        return;
    }
    draw(fmt::format("[{}] {}/{}{}: looking for the cause of ", bar(done, total), done, total,
                     left(done, total)),
         workload, "");
}

void progress::show_step(std::string_view text) {
    if (terminal_ && is_due()) draw("", text, "");
}

}  // namespace loopbench::bench
